"""What is ticked on the page of entries is changed with one request."""

from uuid import UUID

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memory.entries.editing import delete_what_can_be, revise_entry
from memory.models import EntryState, ScratchpadEntry
from relationships.models import Relationship
from tests.fixtures.turns import PERSON, Conversation


@pytest.fixture
def page(relationship: Relationship) -> str:
    return f"/admin-ui/relationships/{relationship.id}/"


def now(entry: ScratchpadEntry) -> ScratchpadEntry:
    found: ScratchpadEntry = ScratchpadEntry.objects.for_relationship(entry.relationship_id).get(id=entry.id)
    return found


@pytest.mark.parametrize(
    ("do", "field", "value"),
    [("archive", "tier", "archive"), ("pin", "pinned", True), ("delete", "state", "deleted")],
)
def test_what_is_ticked_is_changed_at_once(
    editor: Client, page: str, conversation: Conversation, do: str, field: str, value: object
) -> None:
    entries = conversation.remember("One", "Two", "Three")

    editor.post(f"{page}bulk/", {"do": do, "entry": [str(entry.id) for entry in entries[:2]]})

    assert [getattr(now(entry), field) == value for entry in entries] == [True, True, False]


@pytest.mark.parametrize("do", ["delete", "restore", "pin"])
def test_many_that_are_ticked_are_changed_with_as_many_statements_as_one(
    editor: Client, page: str, conversation: Conversation, do: str
) -> None:
    """Each time one is changed, all of the scratchpad is written."""

    def statements(*contents: str) -> int:
        entries = conversation.remember(*contents)
        if do == "restore":
            delete_what_can_be(
                relationship_id=entries[0].relationship_id, entry_ids=[one.id for one in entries], by=PERSON
            )
        ticked = [*(str(entry.id) for entry in entries), str(UUID(int=7))]
        with CaptureQueriesContext(connection) as asked:
            editor.post(f"{page}bulk/", {"do": do, "entry": ticked})
        assert {now(entry).version for entry in entries} == {3 if do == "restore" else 2}
        return len(asked)

    assert statements("Two", "Three", "Four") == statements("One")


def test_one_that_can_not_be_changed_is_left_and_said(
    editor: Client, page: str, conversation: Conversation
) -> None:
    first, second = conversation.remember("One", "Two")
    revise_entry(
        relationship_id=first.relationship_id, entry_id=first.id, values={"read_only": True}, by=PERSON
    )
    ticked = {"do": "delete", "entry": [str(first.id), str(second.id), "no id"]}

    shown = editor.post(f"{page}bulk/", ticked, follow=True).content.decode()

    assert "1 deleted. 1 skipped: The entry is read-only" in shown
    assert now(second).state == EntryState.DELETED
