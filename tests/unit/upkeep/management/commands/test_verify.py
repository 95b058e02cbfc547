import io
import json
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from config.postgresql.sessions import execute
from relationships.models import Relationship, Snapshot
from tests.fixtures.turns import Conversation

pytestmark = pytest.mark.usefixtures("account")


def verify(*words: str) -> tuple[int, str]:
    """The exit status, and what was printed."""
    out = io.StringIO()
    try:
        call_command("verify", *words, stdout=out)
    except SystemExit as ended:
        assert isinstance(ended.code, int)
        return ended.code, out.getvalue()
    return 0, out.getvalue()


@pytest.fixture
def damaged(conversation: Conversation) -> Relationship:
    conversation.remember("Likes tea")
    Snapshot.objects.update(scratchpad=[])
    return conversation.relationship


def test_where_all_holds_it_says_so_and_ends_well(conversation: Conversation) -> None:
    conversation.remember("Likes tea")

    status, printed = verify()

    assert (status, printed[:10]) == (0, "All holds:")


def test_where_migrations_are_owed_nothing_is_looked_at() -> None:
    execute("DELETE FROM django_migrations WHERE name = '0002_fair_queue'")

    with pytest.raises(
        CommandError, match=r"lacks migrations \(worker.0002_fair_queue\). Run manage.py migrate"
    ):
        verify()


def test_what_is_wrong_is_named_and_ends_with_status_1(damaged: Relationship) -> None:
    status, printed = verify()

    assert status == 1
    assert "snapshots/differs: 1, --repair mends it" in printed
    assert str(damaged.id) in printed
    assert "Likes tea" not in printed


def test_repair_mends_and_ends_well(damaged: Relationship) -> None:
    status, printed = verify("--repair")

    assert (status, "snapshots/differs: 1, mended" in printed) == (0, True)
    assert verify()[0] == 0


def test_json_is_the_report_and_nothing_else(damaged: Relationship) -> None:
    status, printed = verify("--json", "--all")

    report = json.loads(printed)
    assert status == 1
    assert report["problems"][0]["rows"] == [{"owner": str(damaged.id), "row": None, "detail": "scratchpad"}]


def test_a_project_or_relationship_can_be_named(damaged: Relationship) -> None:
    assert verify("--project", "Test project", "--relationship", str(damaged.id))[0] == 1
    assert verify("--relationship", str(damaged.id))[0] == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--relationship", "tea"], "is not an ID"),
        (["--relationship", str(uuid4())], "there is none with this ID"),
        (["--project", "Nobody's"], "there is none called"),
    ],
)
def test_who_is_not_there_is_said_so(damaged: Relationship, words: list[str], sentence: Any) -> None:
    with pytest.raises(CommandError, match=sentence):
        call_command("verify", *words)
