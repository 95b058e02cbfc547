"""Reads what a ranking asks of a relationship's entries or messages: all of it in one statement, as numpy columns.

Every row is read, whatever the filters: how rare a word is, and what is a usual length or likeness, is a matter of
the whole relationship. So a filter never changes the order of what it lets through.
"""

import struct
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
import orjson
from numpy.typing import NDArray
from psycopg.adapt import Dumper
from psycopg.pq import Format

from config.postgresql.sessions import prepared_cursor
from memory.models import SearchedKind
from memory.retrieval.rankers.base import Bools, Candidates, Counts, Floats, Ints
from memory.retrieval.results import EntryFilters, MessageFilters
from memory.retrieval.statements import LANGUAGES, read_statement
from providers.embeddings.base import Embedded

Filters = EntryFilters | MessageFilters
UNKNOWN_LANGUAGE = "simple"
# Words looked up in rows, at most, where a search has more than FEW_WORDS: at 50,000 rows that is 40 words.
MOST_LOOKED_UP = 2_000_000
_TYPES = {
    "id": "S16",
    "told": ">f8",
    "length": ">i4",
    "who": ">i4",
    "touched": ">f8",
    "importance": ">f8",
    "weight": ">f8",
    "counted": "?",
    "allowed": "?",
    "owner_ids": "S16",
    "role": "S1",
    "place": ">i8",
    "session": ">i8",
}


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What to read. `words`: of each question, as the index spells them. `only`: of these owners; None: of all."""

    relationship_id: UUID
    kind: SearchedKind
    words: Sequence[str]
    language: str | None
    filters: Filters
    now: datetime
    vectors: Embedded | None = None  # one for each question
    only: Collection[UUID] | None = None


@dataclass(frozen=True, slots=True)
class Columns:
    """The rows in the order they were told, and what each question has to do with them.

    `values`: by the names of statements.py. `people`: the number of each speaker or subject in `who`. `lexemes`: the
    questions' words; `terms`: of each question, the numbers of its own among them. `cosines`: of each question, NaN
    where a row has no vector in its space; none where no question has a vector.
    """

    ids: NDArray[np.bytes_]
    values: Mapping[str, NDArray[Any]]
    people: Mapping[str, int]
    lexemes: Sequence[str]
    terms: Sequence[Ints]
    counts: Counts
    cosines: Sequence[Floats]
    too_many_words: bool = False  # so that not all of them were looked up
    read_as: Sequence[str] = ()  # the languages of the rows, where they are not the one that was wanted

    def __len__(self) -> int:
        return len(self.ids)

    def id_of(self, row: int) -> UUID:
        return UUID(bytes=bytes(self.ids[row]).ljust(16, b"\0"))  # numpy drops closing zeros


def read_columns(query: SearchQuery) -> Columns:
    """One statement; two more where the rows are of another language than the configuration says."""
    wanted = query.language or UNKNOWN_LANGUAGE
    row, languages = _read(query, [wanted]), [wanted]
    if row["other_language"]:
        languages = _languages(query)
        row = _read(query, languages)
    return _columns(row, query, read_as=[] if languages == [wanted] else languages)


def _read(query: SearchQuery, languages: Sequence[str]) -> dict[str, Any]:
    given = query.vectors
    count = 0 if given is None else len(query.words)
    values: dict[str, Any] = {
        "relationship": query.relationship_id,
        "kind": query.kind.value,
        "languages": list(languages),
        "words": list(query.words),
        "most_looked_up": MOST_LOOKED_UP,
        "now": query.now,
        "only": None if query.only is None else list(query.only),
    }
    if isinstance(query.filters, EntryFilters):
        values |= entry_filters(query.filters)
    else:
        values["session"] = query.filters.session
    if given is not None:
        values |= {"model": given.model, "dimensions": given.dimensions}
        values |= {f"vector{number}": half_bytes(given.vectors[number]) for number in range(count)}
    statement = read_statement(query.kind, vectors=count, only=query.only is not None)
    with prepared_cursor() as cursor:
        cursor.adapters.register_dumper(HalfBytes, HalfBytesDumper)
        cursor.execute(statement, values)
        row = cursor.fetchone()
        names = [column[0] for column in cursor.description]
    return dict(zip(names, row or (), strict=True))


def entry_filters(filters: EntryFilters) -> dict[str, Any]:
    """What `statements.ALLOWED` names."""
    return {
        "told_from": filters.told_from,
        "told_to": filters.told_to,
        "states": list(filters.states),
        "types": list(filters.types),
        "tiers": list(filters.tiers),
        "subject": filters.subject,
        "tags": orjson.dumps(dict(filters.tags)).decode(),
    }


def _languages(query: SearchQuery) -> list[str]:
    with prepared_cursor() as cursor:
        cursor.execute(LANGUAGES, {"relationship": query.relationship_id, "kind": query.kind.value})
        return [row[0] for row in cursor.fetchall()]


def _columns(row: Mapping[str, Any], query: SearchQuery, *, read_as: Sequence[str]) -> Columns:
    read = {name: _unpacked(row[name], kind) for name, kind in _TYPES.items() if name in row}
    if "owner_ids" in read:
        read["id"] = read.pop("owner_ids")
    order = _in_order(read)
    if row.get("hidden"):
        order = order[~np.isin(read["id"][order], _unpacked(row["hidden"], "S16"))]
    values = {name: column[order] for name, column in read.items()}
    ids = values.pop("id")
    if isinstance(query.filters, MessageFilters):
        values["allowed"] = _allowed(ids, values, query.filters, session=row["session_asked"])
    finder = _Finder(ids)
    questions = len(query.words) if query.vectors is not None else 0
    vector_rows, known = finder.find(_unpacked(row["vector_id"], "S16"))
    return Columns(
        ids=ids,
        values=values,
        people=_people(row["people"]),
        lexemes=row["lexemes"] or [],
        terms=_terms(row["asked"], len(query.words)),
        counts=_counts(row, finder if "hit_id" in row else _Finder(values["place"])),
        cosines=[
            _placed(_unpacked(row[f"cosine{number}"], ">f8"), vector_rows, known, len(ids))
            for number in range(questions)
        ],
        too_many_words=row["too_many_words"],
        read_as=read_as,
    )


def _people(told: str | None) -> dict[str, int]:
    """Of messages one object for each stretch that was read."""
    people: dict[str, int] = {}
    for each in orjson.loads(f"[{told or ''}]"):
        people |= each
    return people


def _allowed(
    ids: NDArray[np.bytes_],
    values: Mapping[str, NDArray[Any]],
    filters: MessageFilters,
    *,
    session: int | None,
) -> Bools:
    """Which messages pass. `session`: the wanted one's hash."""
    allowed = np.ones(len(ids), dtype=np.bool_)
    if filters.roles:
        allowed &= np.isin(values["role"], [role[:1].encode() for role in filters.roles])
    if session is not None:
        allowed &= values["session"] == session
    if filters.told_from is not None:
        allowed &= values["told"] >= filters.told_from.timestamp()
    if filters.told_to is not None:
        allowed &= values["told"] < filters.told_to.timestamp()
    if filters.exclude_ids:
        excluded = np.array([one.bytes for one in filters.exclude_ids], dtype="S16")
        allowed &= ~np.isin(ids, excluded)
    return allowed


def _unpacked(packed: bytes | None, kind: str) -> NDArray[Any]:
    column = np.frombuffer(packed or b"", dtype=kind)
    return column.astype(column.dtype.newbyteorder("="))


def _in_order(read: Mapping[str, NDArray[Any]]) -> NDArray[np.intp]:
    """Messages as they came; entries as they were told, of one moment the lower ID last."""
    if "place" in read:
        return np.argsort(read["place"], kind="stable")
    later_id = np.argsort(np.argsort(read["id"], kind="stable"))
    return np.lexsort((-later_id, read["told"]))


class _Finder:
    """Where the row is of an owner's ID, or of a message's place."""

    def __init__(self, ids: NDArray[Any]) -> None:
        self._order = np.argsort(ids, kind="stable")
        self._sorted = ids[self._order]

    def find(self, wanted: NDArray[Any]) -> tuple[Ints, NDArray[np.bool_]]:
        """The rows of those that have one, and which these are: an index may know owners that are not read."""
        if not len(self._sorted):
            return np.zeros(0, dtype=np.int64), np.zeros(len(wanted), dtype=np.bool_)
        places = np.minimum(np.searchsorted(self._sorted, wanted), len(self._sorted) - 1)
        known = self._sorted[places] == wanted
        return self._order[places[known]], known


def _counts(row: Mapping[str, Any], finder: _Finder) -> Counts:
    wanted = _unpacked(row["hit_id"], "S16") if "hit_id" in row else _unpacked(row["hit_place"], ">i8")
    rows, known = finder.find(wanted)
    return Counts(
        row=rows,
        term=_unpacked(row["hit_term"], ">i4").astype(np.int64)[known],
        count=_unpacked(row["hit_count"], ">i4").astype(np.float64)[known],
    )


def _terms(asked: Sequence[Sequence[int]] | None, questions: int) -> list[Ints]:
    terms: list[list[int]] = [[] for _ in range(questions)]
    for number, term in asked or ():
        terms[number].append(term)
    return [np.array(sorted(numbers), dtype=np.int64) for numbers in terms]


def _placed(cosines: Floats, rows: Ints, known: NDArray[np.bool_], count: int) -> Floats:
    placed = np.full(count, np.nan)
    placed[rows] = cosines[known]
    return placed


def candidates_of(columns: Columns, number: int, *, named: Collection[str]) -> Candidates:
    """As the question of that number sees the columns. `named`: which of their people it names."""
    values, count = columns.values, len(columns)
    ones = np.ones(count)
    return Candidates(
        told=values["told"],
        touched=values.get("touched", values["told"]),
        length=values["length"].astype(np.float64),
        session=_numbered(values["session"]) if "session" in values else np.full(count, -1),
        named=np.isin(values["who"], [columns.people[who] for who in named]),
        cosine=columns.cosines[number] if columns.cosines else np.full(count, np.nan),
        importance=values.get("importance", ones),
        weight=values.get("weight", ones),
        counted=values.get("counted", ones.astype(np.bool_)),
        allowed=values["allowed"],
        counts=_counts_of(columns, columns.terms[number]),
    )


def _numbered(sessions: Ints) -> Ints:
    return np.unique(sessions, return_inverse=True)[1].astype(np.int64)


def _counts_of(columns: Columns, terms: Ints) -> Counts:
    """Those of the question's own words, numbered anew from 0."""
    counts = columns.counts
    own = np.isin(counts.term, terms)
    return Counts(row=counts.row[own], term=np.searchsorted(terms, counts.term[own]), count=counts.count[own])


class HalfBytes(bytes):
    """A halfvec as it is sent: in the bytes that pgvector reads, a third less than as text."""


class HalfBytesDumper(Dumper):
    """Of no known type: what the statement casts it to decides."""

    format = Format.BINARY
    oid = 0

    def dump(self, value: Any) -> bytes:
        return bytes(value)


def half_bytes(vector: NDArray[np.float32]) -> HalfBytes:
    return HalfBytes(struct.pack(">HH", len(vector), 0) + vector.astype(">f2").tobytes())
