import os
import subprocess
import sys
from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from django.db import OperationalError, connection, transaction
from structlog.testing import capture_logs

from memory.entries.access import (
    MOST_TRIES,
    AccessNotes,
    Note,
    Notes,
    flush_accesses,
    note_access,
    write_accesses,
)
from memory.entries.history import fields_of
from memory.models import EntryRevision, ScratchpadEntry
from relationships.ids import uuid7
from relationships.models import Relationship, Snapshot
from tests.fixtures.contexts import remember
from tests.fixtures.turns import revise
from tests.waiting import wait_until

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
NEVER = 3600.0  # seconds after which a thread of these tests would write by itself


class Book:
    """Takes notes down instead of a database: at first it fails `failures` times; it never has `gone`."""

    def __init__(self, *, failures: int = 0, gone: Collection[UUID] = ()) -> None:
        self.pages: list[tuple[UUID, Notes]] = []
        self.failures, self.gone = failures, gone

    def write(self, relationship_id: UUID, notes: Notes) -> Collection[UUID]:
        if self.failures:
            self.failures -= 1
            raise OperationalError("away")
        self.pages.append((relationship_id, dict(notes)))
        return set(notes) - set(self.gone)


def accesses(entry: ScratchpadEntry) -> tuple[int, datetime | None]:
    row = ScratchpadEntry.objects.for_relationship(entry.relationship_id).get(id=entry.id)
    return row.access_count, row.last_accessed_at


def test_what_was_noted_is_written_in_one_go(relationship: Relationship) -> None:
    tea, coffee = remember(relationship, "Prefers tea", "Hates coffee")
    notes = AccessNotes(seconds=NEVER)

    notes.note(relationship_id=relationship.id, entry_ids=[tea.id, coffee.id], at=NOON + HOUR)
    notes.note(relationship_id=relationship.id, entry_ids=[tea.id], at=NOON)

    assert accesses(tea) == (0, None)
    assert notes.flush() == 2
    assert (accesses(tea), accesses(coffee)) == ((2, NOON + HOUR), (1, NOON + HOUR))
    assert notes.flush() == 0


def test_being_shown_is_no_change(relationship: Relationship) -> None:
    (tea,) = remember(relationship, "Prefers tea")
    snapshot = Snapshot.objects.get(relationship=relationship)
    before = fields_of(tea)

    note_access(relationship_id=relationship.id, entry_ids=[tea.id], at=NOON)
    flush_accesses()

    row = ScratchpadEntry.objects.for_relationship(relationship.id).get(id=tea.id)
    assert row.access_count == 1
    assert fields_of(row) == before and "access_count" not in before
    assert Snapshot.objects.get(relationship=relationship).updated_at == snapshot.updated_at
    assert not EntryRevision.objects.for_relationship(relationship.id).exists()


def test_a_change_does_not_write_the_count_back(relationship: Relationship) -> None:
    (tea,) = remember(relationship, "Prefers tea")
    note_access(relationship_id=relationship.id, entry_ids=[tea.id], at=NOON)
    flush_accesses()

    values = {"content": "Prefers coffee"}
    revise(tea, **values)

    assert accesses(tea) == (1, NOON)


def test_another_relationships_entry_is_never_counted(relationship: Relationship) -> None:
    (tea,) = remember(relationship, "Prefers tea")
    notes = AccessNotes(seconds=NEVER)

    notes.note(relationship_id=uuid7(), entry_ids=[tea.id], at=NOON)

    assert notes.flush() == 0
    assert accesses(tea) == (0, None)


def test_while_the_database_is_away_notes_are_kept_up_to_a_limit() -> None:
    book, relationship_id = Book(failures=1), uuid7()
    notes = AccessNotes(write=book.write, seconds=NEVER, most=3)
    notes.note(relationship_id=relationship_id, entry_ids=[uuid7() for _ in range(5)], at=NOON)

    with capture_logs() as lines:
        counted = [notes.flush(), notes.flush()]

    assert counted == [0, 3]
    assert [line["event_name"] for line in lines] == ["access.write.failed"]


def test_an_entry_that_is_gone_is_given_up() -> None:
    gone = uuid7()
    book = Book(gone=[gone])
    notes = AccessNotes(write=book.write, seconds=NEVER)
    notes.note(relationship_id=uuid7(), entry_ids=[gone], at=NOON)

    for _ in range(MOST_TRIES + 3):
        notes.flush()

    assert len(book.pages) == MOST_TRIES


def test_a_thread_writes_by_itself() -> None:
    book = Book()
    notes = AccessNotes(write=book.write, seconds=0.01)

    for written in (1, 2):
        notes.note(relationship_id=uuid7(), entry_ids=[uuid7()], at=NOON)
        wait_until(lambda: len(book.pages) == written, what="the thread's write")  # noqa: B023 - at once

    assert len(book.pages) == 2


def test_the_child_of_a_fork_has_no_notes_of_its_parents() -> None:
    book = Book()
    notes = AccessNotes(write=book.write, seconds=NEVER)
    notes.note(relationship_id=uuid7(), entry_ids=[uuid7()], at=NOON)

    notes.start_anew()  # as os.register_at_fork has the child do

    assert notes.flush() == 0
    notes.note(relationship_id=uuid7(), entry_ids=[uuid7()], at=NOON)
    assert notes.flush() == 1


@pytest.mark.django_db(transaction=True)
def test_a_row_that_a_change_holds_is_left_for_the_next_time(relationship: Relationship) -> None:
    held, free = remember(relationship, "Prefers tea", "Hates coffee")
    note = {entry.id: Note(1, NOON) for entry in (held, free)}
    other = connection.copy()
    try:
        other.set_autocommit(False)
        with other.cursor() as cursor:
            cursor.execute("SELECT 1 FROM memory_scratchpadentry WHERE id = %s FOR UPDATE", [held.id])
        written = write_accesses(relationship.id, note)
    finally:
        other.rollback()
        other.close()

    assert written == {free.id}
    with transaction.atomic():
        assert write_accesses(relationship.id, {held.id: note[held.id]}) == {held.id}


@pytest.mark.django_db(transaction=True)
def test_what_is_left_is_written_at_the_end_of_the_process(relationship: Relationship) -> None:
    (tea,) = remember(relationship, "Prefers tea")
    script = f"""
import django
django.setup()
from datetime import UTC, datetime
from uuid import UUID
from django.db import connection
connection.settings_dict["NAME"] = {connection.settings_dict["NAME"]!r}
from memory.entries.access import note_access
note_access(relationship_id=UUID({str(relationship.id)!r}), entry_ids=[UUID({str(tea.id)!r})],
            at=datetime(2026, 3, 2, 12, 0, tzinfo=UTC))
"""
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"}
    subprocess.run([sys.executable, "-c", script], env=environment, check=True, timeout=60)

    assert accesses(tea) == (1, NOON)
