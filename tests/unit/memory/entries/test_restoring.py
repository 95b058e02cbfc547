import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.entries.adding import add_entries
from memory.entries.restoring import restore_what_can_be
from memory.errors import TooManyEntries
from memory.models import EntrySource, EntryState, ScratchpadEntry
from relationships.models import Companion, Relationship
from web.actor import Actor

BY = Actor.policy("test")


@pytest.fixture
def deleted(relationship: Relationship) -> list[ScratchpadEntry]:
    given = [({"content": f"Likes tea number {number}", "type": "other"}, "") for number in range(24)]
    entries = add_entries(relationship=relationship, given=given, by=BY, source=EntrySource.MANUAL)
    ScratchpadEntry.objects.for_relationship(relationship.id).update(state=EntryState.DELETED)
    return entries


def restore(entries: list[ScratchpadEntry]) -> dict[int, Exception]:
    relationship_id = entries[0].relationship_id
    refused = restore_what_can_be(
        relationship_id=relationship_id, entry_ids=[one.id for one in entries], by=BY
    )
    return dict(refused)


def test_many_entries_are_restored_with_as_many_statements_as_a_few(deleted: list[ScratchpadEntry]) -> None:
    restore(deleted[:2])  # what is read once in a process
    with CaptureQueriesContext(connection) as few:
        restore(deleted[2:4])
    with CaptureQueriesContext(connection) as many:
        assert restore(deleted[4:]) == {}

    assert len(many) == len(few)


def test_of_more_than_fit_the_first_are_restored(
    deleted: list[ScratchpadEntry], companion: Companion
) -> None:
    companion.config = {**companion.config, "ingestion": {"max_entries": 3}}
    companion.save(update_fields=["config"])
    restore(deleted[:1])

    refused = restore(deleted[1:5])

    assert list(refused) == [2, 3] and isinstance(refused[2], TooManyEntries)
    assert ScratchpadEntry.objects.for_relationship(deleted[0].relationship_id).active().count() == 3
