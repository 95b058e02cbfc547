from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from memory.models import SearchText
from relationships.models import Companion, Relationship
from tests.fixtures.contexts import remember, say
from tests.fixtures.index import configure, index_of


def run(**options: object) -> str:
    out = StringIO()
    call_command("reindex", stdout=out, **options)
    return " ".join(out.getvalue().split())


@pytest.mark.parametrize(
    "options",
    [{"everything": True}, {"project": "Test project"}, {"companion": "ada"}],
    ids=["all", "of a project", "of a companion"],
)
def test_the_index_is_written_anew(
    options: dict[str, object], relationship: Relationship, capsys: pytest.CaptureFixture[str]
) -> None:
    remember(relationship, "Has been running")
    say(relationship, "I was running")
    configure(relationship, language="english")

    said = run(**options)

    assert "1/1" in capsys.readouterr().err
    assert said.endswith("2 texts are indexed.")
    assert {row["language"] for row in index_of(relationship)} == {"english"}


def test_others_are_left_alone(relationship: Relationship, companion: Companion) -> None:
    remember(relationship, "Likes tea")
    Companion.objects.create(project_id=companion.project_id, slug="bob", name="Bob")

    assert run(companion="bob").endswith("0 texts are indexed.")
    assert not SearchText.objects.exists()


@pytest.mark.parametrize(
    ("options", "named"),
    [
        pytest.param({}, "--all: give --companion, --project, or --all", id="nothing said"),
        pytest.param({"everything": True, "companion": "ada"}, "--all: can't be combined with", id="both"),
        pytest.param({"companion": "bob"}, "--companion: Test project has none", id="no such companion"),
        pytest.param({"project": "Lost"}, "--project: there is none", id="no such project"),
    ],
)
def test_what_is_wrong_is_named(options: dict[str, object], named: str, companion: Companion) -> None:
    with pytest.raises(CommandError, match=named):
        run(**options)
