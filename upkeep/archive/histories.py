"""Check the histories of an archive's entries, like HistoriesInvariant and TurnsInvariant of `manage.py verify`."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.entries.history import FIELDS, plain
from memory.entries.time_travel import differing_fields
from memory.models import RevisionEvent, Verdict
from relationships.models import TurnState
from upkeep.archive.file import ArchiveFile
from web.actor import ActorKind
from web.errors import FieldProblem

Row = Mapping[str, Any]


class Histories:
    """Checks the turns, then the revisions in order, then the entries. It remembers only where each row is.

    `told` is filled with the IDs of entries that have a history.
    """

    def __init__(self, archive: ArchiveFile, *, told: set[bytes]) -> None:
        self._archive, self._told = archive, told
        self._last: dict[bytes, int] = {}  # by entry, its last revision
        self._applied: dict[bytes, bool] = {}  # by turn
        self._at: dict[bytes, datetime] = {}  # by turn, when a model changed something for it
        self._done: dict[bytes, str] = {}  # by turn and entry, the path of the operation that changed it
        self._held: dict[bytes, str] = {}  # by entry, the path of the operation that is held

    def turn(self, place: int, row: Row) -> Sequence[FieldProblem]:
        applied = self._applied[row["id"].bytes] = row["state"] == TurnState.APPLIED
        for number, operation in enumerate(row["operations"]):
            entry_id, path = operation["entry_id"], f"turns.{place}.operations.{number}.entry_id"
            if entry_id and applied and operation["verdict"] in (Verdict.APPLIED, Verdict.NONE):
                self._done[row["id"].bytes + entry_id.bytes] = path
            if entry_id and operation["held_id"]:
                self._held[entry_id.bytes] = path
        return ()

    def revision(self, place: int, row: Row) -> Iterator[FieldProblem]:
        """Yield where a revision doesn't begin where the previous one ended, or contradicts its turn."""
        self._told.add(row["entry_id"].bytes)
        yield from self._of_its_turn(f"revisions.{place}", row)
        yield from self._goes_on(place, row)

    def _of_its_turn(self, path: str, row: Row) -> Iterator[FieldProblem]:
        if row["turn_id"] is None:
            return
        turn = row["turn_id"].bytes
        self._done.pop(turn + row["entry_id"].bytes, None)
        applied = self._applied.get(turn)
        if applied is None:
            yield FieldProblem(f"{path}.turn_id", "is none of the turns")
        if row["actor_kind"] != ActorKind.MODEL:
            return
        if applied is False:
            yield FieldProblem(
                f"{path}.turn_id", "is of a turn that was not applied: no model changed anything for it"
            )
        if self._at.setdefault(turn, row["recorded_at"]) != row["recorded_at"]:
            yield FieldProblem(
                f"{path}.recorded_at", "is another time than that of the turn's other changes by a model"
            )

    def _goes_on(self, place: int, row: Row) -> Iterator[FieldProblem]:
        """Yield where a revision doesn't continue the one before. Erased ones can't be compared."""
        path, own = f"revisions.{place}", row["entry_id"]
        before, after = row["before"], row["after"]
        for side, told in (("before", before), ("after", after)):
            if told and UUID(told["id"]) != own:
                yield FieldProblem(f"{path}.{side}.id", "is not the revision's entry_id")
        earlier = self._last.get(own.bytes)
        self._last[own.bytes] = place
        if earlier is None:
            if before is not None:
                yield FieldProblem(
                    f"{path}.before", "is something, though no revision of the entry comes before"
                )
            return
        there = f"revisions.{earlier}, the one before it"
        last = self._archive.row("revisions", earlier)
        if row["entry_version"] != last["entry_version"] + (row["event"] != RevisionEvent.NONE):
            yield FieldProblem(f"{path}.entry_version", f"does not follow that of {there}")
        if before is None and row["redacted_at"] is None:
            yield FieldProblem(f"{path}.before", f"is nothing, though there is {there}")
        for name in differing_fields(before or {}, last["after"] or {}):
            yield FieldProblem(f"{path}.before.{name}", f"is not what {there}, ended with")

    def entry(self, place: int, row: Row) -> Iterator[FieldProblem]:
        """Yield where an entry differs from its last revision: its history would hide a change."""
        if row["id"]:
            self._held.pop(row["id"].bytes, None)
        at = self._last.pop(row["id"].bytes, None) if row["id"] else None
        if at is None:
            return
        path, there = f"entries.{place}", f"its last revision, revisions.{at}, says"
        last = self._archive.row("revisions", at)
        if last["event"] == RevisionEvent.REDACT:
            yield FieldProblem(path, f"was erased, as {there}")
        differing = [] if row["version"] == last["entry_version"] else ["version"]
        told = {name: plain(row[name]) for name in FIELDS if name in row}
        for name in dict.fromkeys([*differing, *differing_fields(told, last["after"] or {})]):
            yield FieldProblem(f"{path}.{name}", f"is not what {there}")

    def gone(self) -> Iterator[FieldProblem]:
        """Yield what is missing although nothing erased it. Call it after all rows were checked."""
        for at in self._last.values():
            last = self._archive.row("revisions", at)
            if last["event"] != RevisionEvent.REDACT or last["after"]:
                yield FieldProblem(
                    f"revisions.{at}.entry_id", "is none of the entries, and is not said to be erased"
                )
        for path in self._done.values():
            yield FieldProblem(path, "is of an entry that no revision of this turn is about")
        for entry, path in self._held.items():
            if entry not in self._told:
                yield FieldProblem(path, "is none of the entries, and in no history")
