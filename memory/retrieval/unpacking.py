"""Unpack what a search read: columns of numbers, for entries or messages. No database here."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from memory.models import SearchedKind
from memory.retrieval.index.segments import COUNTS, PACKED_MESSAGE, TERMS
from memory.retrieval.rankers.base import Bools, Counts, Ints
from memory.retrieval.results import MessageFilters
from memory.retrieval.statements import PACKED_ENTRY

_PACKED = {SearchedKind.ENTRY: np.dtype(PACKED_ENTRY), SearchedKind.MESSAGE: np.dtype(PACKED_MESSAGE)}


def sent_values(packed: bytes | None, kind: SearchedKind) -> dict[str, NDArray[Any]]:
    """The columns, by the names of statements.py."""
    rows = np.frombuffer(packed or b"", dtype=_PACKED[kind])
    return {name: _native(rows[name]) for name in _PACKED[kind].names or ()}


def people_of(told: str | None) -> dict[str, int]:
    """The number of each name. For messages there is one object per segment or part that was read."""
    people: dict[str, int] = {}
    for each in orjson.loads(f"[{told or ''}]"):
        people |= each
    return people


def passing(values: Mapping[str, NDArray[Any]], filters: MessageFilters, *, session: int | None) -> Bools:
    """Which messages pass the filters. `session`: the hash of the wanted one."""
    places, allowed = values["place"], np.ones(len(values["place"]), dtype=np.bool_)
    if filters.roles:
        allowed &= any_of(values["role"], [ord(role[0]) for role in filters.roles])
    if session is not None:
        allowed &= values["session"] == session
    if filters.told_from is not None:
        allowed &= values["told"] >= filters.told_from.timestamp()
    if filters.told_to is not None:
        allowed &= values["told"] < filters.told_to.timestamp()
    if filters.without and len(places):
        rows, known = _rows_at(places, np.array(filters.without))
        allowed[rows[known]] = False
    return allowed


def any_of(column: NDArray[Any], wanted: Sequence[int]) -> Bools:
    """Like np.isin, which is slow even for short columns."""
    found = np.zeros(len(column), dtype=np.bool_)
    for one in wanted:
        found |= column == one
    return found


def _rows_at(ordered: NDArray[Any], wanted: NDArray[Any]) -> tuple[Ints, Bools]:
    """Where `wanted` would be in `ordered` (sorted, not empty), and which of them are there."""
    rows = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
    return rows, ordered[rows] == wanted


def unpacked(packed: bytes | None, kind: str) -> NDArray[Any]:
    return _native(np.frombuffer(packed or b"", dtype=kind))


def _native(column: NDArray[Any]) -> NDArray[Any]:
    return column.astype(column.dtype.newbyteorder("="))


def in_order(read: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The columns in order: messages as read; entries by when they were told, and of one time the lower ID last."""
    if "place" in read:
        places = read["place"]
        if (places[1:] > places[:-1]).all():
            return dict(read)
        return _rows_of(read, np.argsort(places, kind="stable"))
    later_id = np.argsort(np.argsort(read["id"], kind="stable"))
    return _rows_of(read, np.lexsort((-later_id, read["told"])))


def without_hidden(values: dict[str, NDArray[Any]], hidden: bytes | None) -> dict[str, NDArray[Any]]:
    """Drop messages that are never found. `hidden`: their IDs."""
    if not hidden:
        return values
    return _rows_of(values, ~np.isin(values["id"], unpacked(hidden, "S16")))


def _rows_of(values: Mapping[str, NDArray[Any]], rows: NDArray[Any]) -> dict[str, NDArray[Any]]:
    return {name: column[rows] for name, column in values.items()}


class Finder:
    """Finds the row of an owner."""

    def __init__(self, ids: NDArray[Any]) -> None:
        self._ids = ids

    @cached_property
    def _order(self) -> Ints:
        return np.argsort(self._ids, kind="stable")

    def find(self, wanted: NDArray[Any]) -> tuple[Ints, NDArray[np.bool_]]:
        """The rows of the owners that have one, and which of them do; an index may have owners that were not read."""
        if not len(self._ids) or not len(wanted):
            return np.zeros(0, dtype=np.int64), np.zeros(len(wanted), dtype=np.bool_)
        places = np.searchsorted(self._ids, wanted, sorter=self._order)
        rows = self._order[np.minimum(places, len(self._ids) - 1)]
        known = self._ids[rows] == wanted
        return rows[known], known


def counts_of_entries(row: Mapping[str, Any], finder: Finder) -> Counts:
    rows, known = finder.find(unpacked(row["hit_id"], "S16"))
    return Counts(
        row=rows,
        term=unpacked(row["hit_term"], ">i4").astype(np.int64)[known],
        count=unpacked(row["hit_count"], ">i4").astype(np.float64)[known],
    )


def counts_of_messages(row: Mapping[str, Any], places: Ints) -> Counts:
    """The counts of messages. `places`: sorted. A hit may belong to a message that was not read."""
    hits = unpacked(row["hits"], ">i8")
    if not len(places):
        return Counts(row=hits[:0], term=hits[:0], count=np.zeros(0))
    where = hits // (COUNTS * TERMS)
    rows, known = _rows_at(places, where)
    hits = hits[known]
    return Counts(row=rows[known], term=hits % TERMS, count=(hits // TERMS % COUNTS).astype(np.float64))
