from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from memory.retrieval.index.embed import embed_owed
from providers.errors import ContentBlocked
from relationships.models import Companion, Project, Relationship
from tests.fakes import ScriptedEmbedder
from tests.fixtures.index import OFFLINE, configure, embedded
from tests.fixtures.turns import Conversation


def run(**options: str | int) -> str:
    out = StringIO()
    call_command("reembed", stdout=out, **{"companion": "ada", "embedder": "offline", **options})
    return " ".join(out.getvalue().split())


@pytest.fixture
def remembered(
    relationship: Relationship, conversation: Conversation, scripted_embedder: ScriptedEmbedder
) -> Relationship:
    configure(relationship, embedder="default")
    conversation.remember("one", "two", "three")
    embed_owed(relationship_id=relationship.id)
    return relationship


def test_a_companion_changes_over_and_the_old_vectors_go(
    remembered: Relationship, companion: Companion
) -> None:
    said = run(batch=2)

    assert f"ada uses offline now: {OFFLINE}, " in said
    assert "3 vectors were made, 3 old ones removed" in said
    companion.refresh_from_db()
    assert companion.config["retrieval"]["embedder"] == "offline"
    assert len(embedded(remembered)) == len(embedded(remembered, OFFLINE)) == 3


def test_run_again_it_has_nothing_to_do(remembered: Relationship) -> None:
    run()

    assert "used it already" in run()


def test_the_companion_can_be_named_by_its_id(remembered: Relationship, companion: Companion) -> None:
    assert "ada uses" in run(companion=str(companion.id), project="Test project")


def test_what_was_refused_is_told(remembered: Relationship, scripted_embedder: ScriptedEmbedder) -> None:
    run()
    scripted_embedder.answer_with(None, *[ContentBlocked()] * 10)

    said = run(embedder="default")

    assert "Some texts were refused (content_blocked)" in said


@pytest.mark.parametrize(
    ("options", "named"),
    [
        pytest.param({"companion": "bob"}, "--companion: Test project has none called 'bob'", id="companion"),
        pytest.param(
            {"embedder": "lost"}, "--embedder: there is none called 'lost'; write one of", id="embedder"
        ),
        pytest.param({"batch": 0}, "--batch: write a number", id="batch"),
        pytest.param({"project": "Lost"}, "--project: there is none called 'Lost'", id="project"),
    ],
)
def test_what_is_wrong_is_named(options: dict[str, str], named: str, companion: Companion) -> None:
    with pytest.raises(CommandError, match=named):
        run(**options)


def test_an_embedder_without_a_key_says_so_and_nothing_changes(
    remembered: Relationship, companion: Companion, project: Project
) -> None:
    with pytest.raises(CommandError, match=r"gemini: .*run it again for the rest"):
        run(embedder="gemini")

    companion.refresh_from_db()
    assert companion.config["retrieval"]["embedder"] == "default"
