"""Read what a ranking needs of a relationship's entries or messages, as numpy columns.

Every row is read, whatever the filters, as the rarity of words, the mean length and the mean similarity are those of
the whole relationship. So a filter never changes the order of what passes it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
import orjson
from numpy.typing import NDArray
from pgvector import HalfVector
from pgvector.psycopg.halfvec import HalfVectorBinaryDumper

from config.postgresql.sessions import prepared_cursor
from memory.models import SearchedKind
from memory.retrieval.compounds import compounds_with
from memory.retrieval.index.language import NO_STEMS, known_languages
from memory.retrieval.misspelt import meant_by
from memory.retrieval.rankers.base import Candidates, Counts, Floats, Ints
from memory.retrieval.related import NEAR, Related, related_to
from memory.retrieval.results import EntryFilters, MessageFilters
from memory.retrieval.statements import LANGUAGES, read_statement
from memory.retrieval.unpacking import (
    Finder,
    any_of,
    counts_of_entries,
    counts_of_messages,
    in_order,
    passing,
    people_of,
    sent_values,
    unpacked,
    without_hidden,
)
from providers.embeddings.base import Embedded

Filters = EntryFilters | MessageFilters
# The most words times rows to look up, if a search has more than FEW_WORDS: with 50,000 rows, 40 words.
MOST_LOOKED_UP = 2_000_000
STEM = 3  # letters that the stems of a word have in common in two languages: making, make; physics, physic
_NOT_NEGATIVE = 0x7FFF_FFFF_FFFF_FFFF  # of a hash: -1 stands for no session
_names: dict[str, list[str]] = {}  # column names, by statement


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What to read. `words`: each question's words as in the index. `only`: rows of these owners; None: all."""

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
    """The rows in the order they were told, and how they relate to each question.

    `values`: by the names of statements.py. `people`: the number of each speaker or subject in `who`. `lexemes`: all
    words that were looked up; `terms`: for each question, the numbers of its own words among them; `related`: for each
    question, word by word, the numbers of the word's forms and of similar words, and whether these count beside
    vectors. `cosines`: for each question, NaN if a row has no vector in its space; none if no question has a vector.
    """

    ids: NDArray[np.bytes_]
    values: Mapping[str, NDArray[Any]]
    people: Mapping[str, int]
    lexemes: Sequence[str]
    terms: Sequence[Ints]
    counts: Counts
    cosines: Sequence[Floats]
    related: Sequence[Sequence[tuple[list[int], list[int], bool]]]
    too_many_words: bool = False  # so that not all of them were looked up
    read_as: Sequence[str] = ()  # the languages of the rows, where they are not the one that was wanted

    def __len__(self) -> int:
        return len(self.ids)

    def ids_of(self, rows: Ints | slice) -> list[UUID]:
        packed = self.ids[rows].tobytes()
        return [UUID(bytes=packed[start : start + 16]) for start in range(0, len(packed), 16)]


def read_columns(query: SearchQuery) -> Columns:
    """Read the columns. One statement; one more in a language with compounds, two more if the rows are in another
    language than the configuration says, and up to two more if a question has a word that nobody said.
    """
    wanted = query.language or NO_STEMS
    related = related_to(query.words, query.language)
    related += compounds_with(
        query.words, query.language, relationship_id=query.relationship_id, kind=query.kind
    )
    row, languages = _read(query, [wanted], related), [wanted]
    if row["other_language"]:
        languages = _languages(query)
        row = _read(query, languages, related)
    read_as = [] if languages == [wanted] else languages
    columns = _columns(row, query, related, read_as=read_as)
    if meant := meant_by(_unsaid(columns), relationship_id=query.relationship_id, kind=query.kind):
        related = [*related, *meant]
        columns = _columns(_read(query, languages, related), query, related, read_as=read_as)
    return columns


def _unsaid(columns: Columns) -> list[tuple[int, str]]:
    """The words of each question that no row has. Those that have related words are known, and so not misspelt. If the
    rows are in several languages, each word has several stems, and those that begin like one that was found are known.
    """
    found = np.zeros(len(columns.lexemes), dtype=np.bool_)
    found[columns.counts.term] = True
    for kin in columns.related:
        for forms, _, _ in kin:
            found[forms] = True
    unsaid = []
    for number, terms in enumerate(columns.terms):
        said = terms[found[terms]].tolist() if len(columns.read_as) > 1 else []
        known = {columns.lexemes[term][:STEM] for term in said}
        words = (columns.lexemes[term] for term in terms[~found[terms]].tolist())
        unsaid += [(number, word) for word in words if word[:STEM] not in known]
    return unsaid


def _read(query: SearchQuery, languages: Sequence[str], related: Sequence[Related]) -> dict[str, Any]:
    given = query.vectors
    count = 0 if given is None else len(query.words)
    values: dict[str, Any] = {
        "relationship": query.relationship_id,
        "kind": query.kind.value,
        "languages": sorted(known_languages().intersection(languages)) or [NO_STEMS],
        "words": [*query.words, *(words for one in related for words in (one.forms, one.near))],
        "most_looked_up": MOST_LOOKED_UP,
    }
    if query.only is not None:
        values["only"] = list(query.only)
    if isinstance(query.filters, EntryFilters):
        values |= {"now": query.now, **entry_filters(query.filters)}
    else:
        values["session"] = query.filters.session
    if given is not None:
        values |= {"model": given.model, "dimensions": given.dimensions}
        values |= {f"vector{number}": HalfVector(given.vectors[number]) for number in range(count)}
    statement = read_statement(query.kind, vectors=count, only=query.only is not None)
    with prepared_cursor(binary=True) as cursor:
        if given is not None:
            # In binary, which is a third shorter than text, and without a type, which the statement's cast decides.
            cursor.adapters.register_dumper(HalfVector, HalfVectorBinaryDumper)
        cursor.execute(statement, values)
        row = cursor.fetchone()
        if statement not in _names:
            _names[statement] = [column[0] for column in cursor.description]
    return dict(zip(_names[statement], row or (), strict=True))


def entry_filters(filters: EntryFilters) -> dict[str, Any]:
    """The parameters of `statements.ALLOWED`."""
    return {
        "told_from": filters.told_from,
        "told_to": filters.told_to,
        "states": list(filters.states),
        "types": list(filters.types),
        "tiers": list(filters.tiers),
        "subject": filters.subject,
        "category": filters.category,
        "tags": orjson.dumps(dict(filters.tags)).decode(),
    }


def _languages(query: SearchQuery) -> list[str]:
    with prepared_cursor() as cursor:
        cursor.execute(LANGUAGES, {"relationship": query.relationship_id, "kind": query.kind.value})
        return [row[0] for row in cursor.fetchall()]


def _columns(
    row: Mapping[str, Any], query: SearchQuery, related: Sequence[Related], *, read_as: Sequence[str]
) -> Columns:
    values = without_hidden(in_order(sent_values(row["packed"], query.kind)), row.get("hidden"))
    ids = values.pop("id")
    if isinstance(query.filters, MessageFilters):
        values["allowed"] = passing(values, query.filters, session=row["session_asked"])
    finder = Finder(ids)
    questions = len(query.words) if query.vectors is not None else 0
    vector_rows, known = finder.find(unpacked(row["vector_id"], "S16"))
    asked = len(query.words)
    terms = _terms(row["asked"], asked + 2 * len(related))
    kin = list(zip(related, terms[asked::2], terms[asked + 1 :: 2], strict=True))
    return Columns(
        ids=ids,
        values=values,
        people=people_of(row["people"]),
        lexemes=row["lexemes"] or [],
        terms=[np.array(numbers, dtype=np.int64) for numbers in terms[:asked]],
        related=[
            [(forms, near, one.beside_vectors) for one, forms, near in kin if one.question == number]
            for number in range(asked)
        ],
        counts=counts_of_messages(row, values["place"])
        if query.kind == SearchedKind.MESSAGE
        else counts_of_entries(row, finder),
        cosines=[
            _placed(unpacked(row[f"cosine{number}"], ">f8"), vector_rows, known, len(ids))
            for number in range(questions)
        ],
        too_many_words=row["too_many_words"],
        read_as=read_as,
    )


def _terms(asked: Sequence[Sequence[int]] | None, questions: int) -> list[list[int]]:
    terms: list[list[int]] = [[] for _ in range(questions)]
    for number, term in asked or ():
        terms[number].append(term)
    return [sorted(numbers) for numbers in terms]


def _placed(cosines: Floats, rows: Ints, known: NDArray[np.bool_], count: int) -> Floats:
    placed = np.full(count, np.nan)
    placed[rows] = cosines[known]
    return placed


def candidates_of(columns: Columns, number: int, *, named: Collection[str]) -> Candidates:
    """The columns for one question. `named`: the people whom it names."""
    values, count = columns.values, len(columns)
    ones = np.ones(count)
    return Candidates(
        told=values["told"],
        touched=values.get("touched", values["told"]),
        length=values["length"].astype(np.float64),
        session=values["session"] & _NOT_NEGATIVE if "session" in values else np.full(count, -1),
        named=any_of(values["who"], [columns.people[who] for who in named]),
        cosine=columns.cosines[number] if columns.cosines else np.full(count, np.nan),
        importance=values.get("importance", ones),
        weight=values.get("weight", ones),
        counted=values.get("counted", ones.astype(np.bool_)),
        allowed=values["allowed"],
        counts=_counts_of(columns, number),
    )


def _counts_of(columns: Columns, number: int) -> Counts:
    """The counts of the question's own words, renumbered from 0."""
    counts, terms, related = columns.counts, columns.terms[number], columns.related[number]
    if related:
        return _with_related(columns, number)
    if len(terms) == len(columns.lexemes):
        return counts  # there is one question
    own = np.isin(counts.term, terms)
    return Counts(row=counts.row[own], term=np.searchsorted(terms, counts.term[own]), count=counts.count[own])


def _with_related(columns: Columns, number: int) -> Counts:
    """Count a word's forms like the word itself, and without vectors also all similar words."""
    counts, own = columns.counts, {term: place for place, term in enumerate(columns.terms[number].tolist())}
    shares = np.zeros((len(columns.lexemes), len(own)))
    shares[columns.terms[number], np.arange(len(own))] = 1
    near_ones, vectors = [], any((~np.isnan(cosines)).any() for cosines in columns.cosines)
    for forms, near, beside_vectors in columns.related[number]:
        place = min((own[term] for term in forms if term in own), default=None)
        if place is not None:
            shares[forms] = 0  # the question may have the same word in two forms
            shares[forms, place] = 1
            if beside_vectors or not vectors:
                near_ones.append(([term for term in near if term not in own], place))
    for near, place in near_ones:
        shares[near, place] = np.maximum(shares[near, place], NEAR)
    hit, places = np.nonzero(shares[counts.term])
    count = counts.count[hit] * shares[counts.term[hit], places]
    table = np.bincount(counts.row[hit] * len(own) + places, weights=count).astype(np.float64)
    filled = np.flatnonzero(table)
    row, term = np.divmod(filled, max(1, len(own)))
    return Counts(row=row, term=term, count=table[filled])
