from datetime import timedelta
from typing import Any

import pytest

from context.retrieved import read_entries, read_messages
from memory.entries.snapshots import SectionRow, line_of
from memory.models import EntryState, Tier
from relationships.ids import uuid7
from relationships.models import Relationship
from tests.fixtures.contexts import NOON, remember, say
from tests.wire import statements_sent

DAY = timedelta(days=1)


def where(relationship: Relationship) -> dict[str, Any]:
    return {"project_id": relationship.project_id, "relationship_id": relationship.id}


def test_entries_are_lines_as_in_the_snapshot_with_what_they_cite(relationship: Relationship) -> None:
    cited = uuid7()
    (city,) = remember(
        relationship, "Lisbon", key="city", pinned=True, source_message_ids=[cited], tier=Tier.ARCHIVE
    )

    found = read_entries(**where(relationship), ids=[city.id, uuid7()], now=NOON)

    assert list(found) == [city.id]
    assert found[city.id].line == [str(city.id), "other", "Lisbon", {"key": "city", "pinned": True}]
    assert found[city.id].line == line_of(city)
    assert found[city.id].cites == [cited]
    assert SectionRow._fields[:3] == ("id", "type", "content")


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ({}, True),
        ({"state": EntryState.DELETED}, False),
        ({"expires_at": NOON}, False),
        ({"valid_to": NOON - DAY}, False),
        ({"valid_from": NOON + DAY}, False),
        ({"valid_from": NOON, "valid_to": NOON + DAY, "expires_at": NOON + DAY}, True),
    ],
    ids=["plain", "deleted", "expired, not swept yet", "over", "to come", "going on"],
)
def test_what_may_not_be_shown_now_is_not_read(
    relationship: Relationship, values: dict[str, Any], shown: bool
) -> None:
    (entry,) = remember(relationship, "Is on holiday", **values)

    assert bool(read_entries(**where(relationship), ids=[entry.id], now=NOON)) == shown


def test_another_projects_rows_are_not_read(relationship: Relationship) -> None:
    (entry,) = remember(relationship, "Prefers tea")
    (message,) = say(relationship, "Tea, please")
    strange = {**where(relationship), "project_id": uuid7()}

    assert read_entries(**strange, ids=[entry.id], now=NOON) == {}
    assert read_messages(**strange, ids=[message.id]) == {}


def test_messages_come_with_their_place_and_their_speaker(relationship: Relationship) -> None:
    (first,) = say(relationship, "Tea, please")
    (erased,) = say(relationship, "", erased_at=NOON)

    found = read_messages(**where(relationship), ids=[first.id, erased.id])

    assert list(found) == [first.id]
    assert found[first.id].content == "Tea, please"
    assert (found[first.id].seq, found[first.id].role) == (first.seq, "user")


def test_each_is_one_statement_whatever_the_number(relationship: Relationship) -> None:
    entries = remember(relationship, *[f"Entry {place}" for place in range(30)])

    with statements_sent() as sent:
        read_entries(**where(relationship), ids=[entry.id for entry in entries], now=NOON)

    assert len(sent) == 1
