"""The histories of an archive's entries, held to what `manage.py verify` will hold them to (HistoriesInvariant)."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol
from uuid import UUID

from memory.entries.history import FIELDS, plain
from memory.entries.time_travel import differing_fields
from memory.models import RevisionEvent
from web.errors import FieldProblem

Row = Mapping[str, Any]


class Rows(Protocol):
    def row(self, name: str, place: int) -> dict[str, Any]: ...


class Histories:
    """Looks at the revisions, in order, and then at the entries. Of each entry it keeps where its last revision is."""

    def __init__(self, archive: Rows) -> None:
        self._archive = archive
        self._last: dict[bytes, int] = {}

    def revision(self, place: int, row: Row) -> Iterator[FieldProblem]:
        """What does not go on from where the one before it ended. What was erased has nothing to be compared."""
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
        """What an entry does not have as its last revision says: its history would hide a change."""
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
        """Once all entries were looked at: those that are not among them, though nothing erased them."""
        for at in self._last.values():
            last = self._archive.row("revisions", at)
            if last["event"] != RevisionEvent.REDACT or last["after"]:
                yield FieldProblem(
                    f"revisions.{at}.entry_id", "is none of the entries, and is not said to be erased"
                )
