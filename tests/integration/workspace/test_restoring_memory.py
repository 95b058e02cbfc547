"""What changes, and how much is looked at, while the memory goes back to a checkpoint."""

from typing import Any

from django.db import connection
from django.db.models.signals import post_init
from django.test.utils import CaptureQueriesContext

from memory.entries.adding import add_entries
from memory.entries.editing import delete_entries, delete_entry, revise_entry
from memory.models import EntryRevision, EntrySource, ScratchpadEntry
from relationships.models import Relationship
from tests.fixtures.api import TESTER
from workspace.checkpoints import restore_checkpoint, take_checkpoint

FACTS = [({"type": "other", "content": f"Owns raven number {number}"}, "") for number in range(40)]


def test_only_what_changed_since_the_checkpoint_is_looked_at(relationship: Relationship) -> None:
    entries = add_entries(relationship=relationship, given=FACTS, by=TESTER, source=EntrySource.MANUAL)
    checkpoint = take_checkpoint(relationship=relationship, name="before", by=TESTER)
    delete_entry(relationship_id=relationship.id, entry_id=entries[7].id, by=TESTER)
    seen: list[Any] = []

    def keep(instance: ScratchpadEntry | EntryRevision, **_: Any) -> None:
        seen.append(instance)

    for model in (ScratchpadEntry, EntryRevision):
        post_init.connect(keep, sender=model)
    try:
        restored = restore_checkpoint(
            relationship=relationship, checkpoint_id=checkpoint.id, by=TESTER, memory=True
        )
    finally:
        for model in (ScratchpadEntry, EntryRevision):
            post_init.disconnect(keep, sender=model)

    assert restored.entries == 1
    assert len(seen) < 10
    assert ScratchpadEntry.objects.active().count() == len(FACTS)


def test_a_read_only_entry_stays_as_it_is(relationship: Relationship) -> None:
    checkpoint = take_checkpoint(relationship=relationship, name="before", by=TESTER)
    locked, _ = add_entries(relationship=relationship, given=FACTS[:2], by=TESTER, source=EntrySource.MANUAL)
    revise_entry(relationship_id=relationship.id, entry_id=locked.id, values={"read_only": True}, by=TESTER)

    restored = restore_checkpoint(
        relationship=relationship, checkpoint_id=checkpoint.id, by=TESTER, memory=True
    )

    assert restored.entries == 1
    assert list(ScratchpadEntry.objects.active().values_list("id", flat=True)) == [locked.id]


def test_many_come_back_with_as_many_statements_as_a_few(relationship: Relationship) -> None:
    entries = add_entries(relationship=relationship, given=FACTS, by=TESTER, source=EntrySource.MANUAL)
    checkpoint = take_checkpoint(relationship=relationship, name="before", by=TESTER)

    def statements(few: int) -> int:
        ids = [entry.id for entry in entries[:few]]
        delete_entries(relationship_id=relationship.id, entry_ids=ids, by=TESTER)
        with CaptureQueriesContext(connection) as asked:
            restored = restore_checkpoint(
                relationship=relationship, checkpoint_id=checkpoint.id, by=TESTER, memory=True
            )
        assert restored.entries == few
        return len(asked)

    assert statements(len(FACTS)) <= statements(3)
