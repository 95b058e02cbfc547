"""Count how often entries were shown, and when. This is written later, so that no context waits for it.

The notes of a process are in its memory. A thread writes them a second after the first one, and the rest is written
when the process ends; a process that is killed loses the notes of its last second. Being shown does not count as a
change of the entry: it makes no revision, no version and no snapshot.
"""

import atexit
import os
import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import structlog
from django.db import Error as DatabaseError
from django.db import connection

from config.postgresql.sessions import execute

log = structlog.get_logger(__name__)

WRITE_AFTER_SECONDS = 1.0
MOST_NOTES = 20_000  # entries; while the database is unreachable, more are not counted
MOST_TRIES = 5  # for an entry that is locked or gone

# Rows that are locked are left for the next attempt: without waiting there is no deadlock.
_WRITE = """
WITH noted AS (
  SELECT * FROM unnest(%(ids)s::uuid[], %(times)s::int[], %(at)s::timestamptz[]) AS n(id, times, at)
), free AS (
  SELECT id FROM memory_scratchpadentry
   WHERE relationship_id = %(relationship)s AND id = ANY(%(ids)s::uuid[])
     FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE memory_scratchpadentry e
   SET access_count = e.access_count + noted.times,
       last_accessed_at = greatest(e.last_accessed_at, noted.at)
  FROM noted JOIN free ON free.id = noted.id
 WHERE e.relationship_id = %(relationship)s AND e.id = noted.id
RETURNING e.id
"""


class Note(NamedTuple):
    """What to write for one entry."""

    times: int
    at: datetime
    tries: int = 0

    def and_again(self, other: "Note") -> "Note":
        return Note(self.times + other.times, max(self.at, other.at), max(self.tries, other.tries))


Notes = Mapping[UUID, Note]
# Writes the notes of one relationship, and returns the IDs that were written.
Write = Callable[[UUID, Notes], Collection[UUID]]


def write_accesses(relationship_id: UUID, notes: Notes) -> Collection[UUID]:
    """One statement. IDs that are not returned are of entries that are locked or gone."""
    given = {
        "relationship": relationship_id,
        "ids": list(notes),
        "times": [note.times for note in notes.values()],
        "at": [note.at for note in notes.values()],
    }
    return {row[0] for row in execute(_WRITE, given)}


class AccessNotes:
    """The notes of one process, and the thread that writes them; it starts with the first note."""

    def __init__(
        self, *, write: Write = write_accesses, seconds: float = WRITE_AFTER_SECONDS, most: int = MOST_NOTES
    ) -> None:
        self._write, self._seconds, self._most = write, seconds, most
        self.start_anew()

    def start_anew(self) -> None:
        """Reset: for the child of a fork, which must write neither its parent's notes nor use its thread."""
        self._lock = threading.Lock()
        self._noted = threading.Event()
        self._notes: dict[tuple[UUID, UUID], Note] = {}
        self._writer: threading.Thread | None = None

    def note(self, *, relationship_id: UUID, entry_ids: Collection[UUID], at: datetime) -> None:
        """Remember that these entries were shown. Never waits for the database, and never fails."""
        self._keep({(relationship_id, entry_id): Note(1, at) for entry_id in entry_ids})
        with self._lock:
            if self._writer is None or not self._writer.is_alive():
                self._writer = threading.Thread(target=self._write_on, name="access-notes", daemon=True)
                self._writer.start()

    def flush(self) -> int:
        """Write all notes, and return how many entries were counted. What could not be written is noted again."""
        with self._lock:
            notes, self._notes = self._notes, {}
        by_relationship: dict[UUID, dict[UUID, Note]] = defaultdict(dict)
        for (relationship_id, entry_id), note in notes.items():
            by_relationship[relationship_id][entry_id] = note
        count = 0
        try:
            for relationship_id, own in by_relationship.items():
                written = self._write(relationship_id, own)
                count += len(written)
                for entry_id, note in own.items():
                    del notes[relationship_id, entry_id]
                    if entry_id not in written and note.tries + 1 < MOST_TRIES:
                        notes[relationship_id, entry_id] = note._replace(tries=note.tries + 1)
        except DatabaseError as error:
            log.warning(
                "accesses of entries could not be stored; trying again",
                event_name="access.write.failed",
                exc_info=error,
            )
        self._keep(notes)
        return count

    def _keep(self, notes: Mapping[tuple[UUID, UUID], Note]) -> None:
        with self._lock:
            for place, note in notes.items():
                known = self._notes.get(place)
                if known is not None:
                    self._notes[place] = known.and_again(note)
                elif len(self._notes) < self._most:
                    self._notes[place] = note
        if notes:
            self._noted.set()

    def _write_on(self) -> None:
        """The thread's loop: wait for a note, collect for a second, write."""
        pause = threading.Event()
        while True:
            self._noted.wait()
            self._noted.clear()
            pause.wait(self._seconds)
            try:
                self.flush()
            finally:
                connection.close()  # the next write may be hours away


_notes = AccessNotes()
os.register_at_fork(after_in_child=_notes.start_anew)


def note_access(*, relationship_id: UUID, entry_ids: Collection[UUID], at: datetime) -> None:
    """Count that these entries were retrieved and shown at `at`; written within a second or two, by a thread."""
    _notes.note(relationship_id=relationship_id, entry_ids=entry_ids, at=at)


@atexit.register
def flush_accesses() -> int:
    """Write this process's notes now. This happens by itself when it ends."""
    return _notes.flush()
