"""Ranks a companion's chunks, which it reads in one statement.

The search is exact over the companion's own rows. A filtered search in a shared index could miss some of them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from config.postgresql.sessions import prepared_cursor
from memory.retrieval.index.text import without_names, words_for_index
from memory.retrieval.rankers.base import order_of
from memory.retrieval.rankers.scoring import bm25, fuse_ranks, inverse_document_frequency, length_norm
from providers.embeddings.base import Embedded

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# PostgreSQL's text search configurations with stop words.
WITH_STOP_WORDS = [
    *("danish", "dutch", "english", "finnish", "french", "german", "hungarian"),
    *("italian", "norwegian", "portuguese", "russian", "spanish", "swedish"),
]
# A word's count and its place in the question are sent as one number. PostgreSQL counts to 256 at most.
_STEP = 512

# Stems are those of the language in which a document was indexed. Of a chunk's lexemes only the question's are
# unpacked, by marking them with a weight and filtering (10,000 chunks: 90 ms; unpacking all: 800 ms).
#
# `telling`: the places of the significant words among `terms`, of the whole question and of each of its sentences that
# ask; 0 for a word that no chunk can have. If the language is unknown, the stop words of any language are left out.
_ROWS = """
WITH spoken AS MATERIALIZED (
    SELECT language, tsvector_to_array(to_tsvector(language::regconfig, %(words)s)) AS terms
      FROM (SELECT DISTINCT language FROM context_document
             WHERE companion_id = %(companion)s AND project_id = %(project)s AND chunk_count > 0) of_documents
), asked AS MATERIALIZED (
    SELECT language, terms, ARRAY(
               SELECT coalesce(array_position(terms, lexeme), 0) * {step} + number - 1
                 FROM unnest(%(telling)s::text[]) WITH ORDINALITY one(told, number),
                      unnest(tsvector_to_array(to_tsvector(language::regconfig, told))) lexeme
                WHERE language <> 'simple' OR NOT EXISTS (
                      SELECT 1 FROM unnest(%(languages)s::text[]) known
                       WHERE to_tsvector(known::regconfig, lexeme) = ''::tsvector)) AS telling
      FROM spoken)
SELECT c.id, c.length, {cosine}, asked.language, asked.telling,
       ARRAY(SELECT array_position(asked.terms, hit.lexeme) * {step} + cardinality(hit.positions)
               FROM unnest(ts_filter(setweight(c.lexemes, 'A', asked.terms), '{{a}}')) hit)
  FROM context_document d
  JOIN asked ON asked.language = d.language
  JOIN context_documentchunk c ON c.document_id = d.id
  {vectors}
 WHERE d.companion_id = %(companion)s AND d.project_id = %(project)s AND d.chunk_count > 0
 ORDER BY d.created_at DESC, d.id DESC, c.place DESC
"""
_BY_TEXT = _ROWS.format(cosine="NULL::float8", vectors="", step=_STEP)
_BY_BOTH = _ROWS.format(
    cosine="-(e.vector <#> %(vector)s::halfvec)",
    vectors="LEFT JOIN context_chunkembedding e"
    " ON e.chunk_id = c.id AND e.model = %(model)s AND e.dimensions = %(dimensions)s",
    step=_STEP,
)


@dataclass(frozen=True, slots=True)
class Columns:
    """One row for each chunk; among equal rows, prefer the last. `row`, `term`, `count`: how often a word of the
    question occurs in a row, if it does. `terms`: the number of words. `asked`: the question's significant words in
    each row's language, as indexes of terms; -1 for a word that occurs in no row. First those of all of it, then those
    of each of its sentences that ask.
    """

    ids: Sequence[UUID]
    length: Floats  # words, as BM25 counts them
    cosine: Floats  # with the question; NaN: no vector in its space
    row: Ints
    term: Ints
    count: Floats
    terms: int
    asked: Sequence[tuple[tuple[int, ...], ...]]


def read_columns(
    *, project_id: UUID, companion_id: UUID, words: str, told: Sequence[str], question: Embedded | None
) -> Columns:
    """Read the columns in one statement. `words`: spelled as in the index. `told`: see `significant`. `question`: the
    vector to compare, if any.
    """
    values: dict[str, Any] = {
        "words": words,
        "telling": list(told),
        "languages": WITH_STOP_WORDS,
        "companion": companion_id,
        "project": project_id,
    }
    if question is not None:
        values |= {
            "vector": HalfVector(question.vectors[0]).to_text(),
            "model": question.model,
            "dimensions": question.dimensions,
        }
    with prepared_cursor() as cursor:
        cursor.execute(_BY_TEXT if question is None else _BY_BOTH, values)
        rows = cursor.fetchall()
    return _columns(rows, len(told))


def _columns(rows: Sequence[Any], readings: int) -> Columns:
    counted = [
        (place, (language, code // _STEP), code % _STEP)
        for place, (_, _, _, language, _, codes) in enumerate(rows)
        for code in codes
    ]
    # The same stem in two languages counts as two words, each with its own rarity.
    known = {word: number for number, word in enumerate(dict.fromkeys(word for _, word, _ in counted))}
    told = {
        language: tuple(
            tuple(known.get((language, code // _STEP), -1) for code in codes if code % _STEP == number)
            for number in range(readings)
        )
        for language, codes in {row[3]: row[4] for row in rows}.items()
    }
    return Columns(
        ids=[row[0] for row in rows],
        length=np.array([row[1] for row in rows], dtype=np.float64),
        cosine=np.array([np.nan if row[2] is None else row[2] for row in rows], dtype=np.float64),
        row=np.array([place for place, _, _ in counted], dtype=np.int64),
        term=np.array([known[word] for _, word, _ in counted], dtype=np.int64),
        count=np.array([count for _, _, count in counted], dtype=np.float64),
        terms=len(known),
        asked=[told[row[3]] for row in rows],
    )


TEXT, VECTOR = "text", "vector"
ELSEWHERE = 30
MOST_ASKING = 3  # sentences that ask, the last ones, looked at by themselves


@dataclass(frozen=True, slots=True)
class Ranked:
    """`order`: indexes of the rows that may be found, best first. `total`, `parts`: the scores of all rows."""

    order: NDArray[np.int64]
    total: Floats
    parts: dict[str, Floats]


def rank_chunks(
    columns: Columns,
    *,
    min_score: float | None = None,
    min_similarity: float | None = None,
    relevance: tuple[float, float] | None = None,
) -> Ranked:
    """Rank the chunks that share a word with the question, or whose vector is near enough to it.

    `relevance`: the coverage (see _coverage) and the cosine of which a chunk must reach one. `Ranked.parts`: the scores
    by rank of text and vector, and the `bm25`, `cosine` (NaN: no vector) and `coverage` that they come from.
    """
    rows = len(columns.ids)
    documents = np.bincount(columns.term, minlength=columns.terms).astype(np.float64)
    idf = inverse_document_frequency(documents, rows)
    covered = _coverage(columns, documents)
    scores = bm25(
        row=columns.row,
        term=columns.term,
        count=columns.count,
        idf=idf,
        norm=length_norm(columns.length, float(columns.length.mean()) if rows else 1.0),
    )
    worded = np.zeros(rows, dtype=np.bool_)
    worded[columns.row] = True
    by_text = np.where(worded, scores, np.nan)
    floor = -np.inf if min_similarity is None else min_similarity
    near = ~np.isnan(columns.cosine) & (columns.cosine >= floor)
    by_vector = np.where(worded | near, columns.cosine, np.nan)
    text, vector = fuse_ranks([by_text, by_vector])
    total = text + vector
    kept = (total > 0) & (total >= (min_score or 0.0))
    if relevance is not None:
        kept &= (covered >= relevance[0]) | (columns.cosine >= relevance[1])
    order = order_of(total)
    return Ranked(
        order=order[kept[order]],
        total=total,
        parts={TEXT: text, VECTOR: vector, "bm25": by_text, "cosine": columns.cosine, "coverage": covered},
    )


def _coverage(columns: Columns, documents: Floats) -> Floats:
    """The share of the question's significant words that each row has, or of those of a sentence that asks, weighted by
    rarity; 0 if there are none. Who tells a story and then asks is told what answers the question.

    Rarity is computed as if there were ELSEWHERE more rows without these words: with a single row, every word would be
    as common as possible.
    """
    rows = len(columns.ids) + ELSEWHERE
    idf = inverse_document_frequency(documents, rows)
    unknown = float(inverse_document_frequency(np.zeros(1), rows)[0])
    kinds = {asked: number for number, asked in enumerate(dict.fromkeys(columns.asked))}
    kind = np.array([kinds[asked] for asked in columns.asked], dtype=np.int64)
    most = np.zeros(len(kind))
    for reading in zip(*kinds, strict=True):  # of each kind, the words of the same sentence
        tells, whole = np.zeros((len(kinds), columns.terms)), np.zeros(len(kinds))
        for number, asked in enumerate(reading):
            there = [place for place in asked if place >= 0]
            tells[number, there] = idf[there]
            whole[number] = idf[there].sum() + unknown * (len(asked) - len(there))
        found = np.bincount(columns.row, weights=tells[kind[columns.row], columns.term], minlength=len(kind))
        share = np.divide(found, whole[kind], out=np.zeros(len(kind)), where=whole[kind] > 0)
        most = np.maximum(most, share)
    return most


_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
EVERYDAY = frozenset(
    """
    actually afternoon ages ago agree ah alright already also always amazing anyone anything anyway awesome aw aww bad
    be believe best better bit bye bit chat come cool could day days dear did different does doing done dont else enough
    especially even evening ever every everyone everything exactly excited fantastic feel feeling feels felt few find
    fine forward friend friends fun funny gave get gets getting give glad go goes going gone gonna good got great guess
    guys had haha happen happened happening happy hard has hear heard hello help hey hi hmm honestly hope how hows idea
    ill im important interesting ive just keep kind kinda know last later least let lets life like listen little lol
    long look looking lot lots love lovely made make makes making many matter maybe me mean meant might mind moment
    month more morning most much must my need needed needs never new nice night no nobody not nothing now of off often
    oh ok okay old once one only other people perfect person place plan please pretty probably put quite ready real
    really remember rest right said same saw say saying says see seem seems seen set share should since so some somebody
    someone something sometimes soon sorry sort sound sounds special spend spent start started still stop story stuff
    such super support sure take takes taking talk talked talking tell thank thanks that thats thing things think
    thinking thought time times tired today together told tomorrow tonight too took totally tried true try trying two
    understand until use used usually very wait want wanted was way week weekend weeks well went what whats whenever
    wish with wonderful wont wonder wondering word work worked working world worry would wow yeah year years yep yes
    yesterday yet you your youre
    """.split()
)


def telling(words: str) -> str:
    """Remove everyday words from words spelled as in the index."""
    return _WORD.sub(lambda word: "" if _plain(word[0]) in EVERYDAY else word[0], words)


def _plain(word: str) -> str:
    return word.casefold().replace("'", "").replace("’", "")


_ENDS = re.compile(r"(?<=[.!?…。！？؟\n])")
_ASKS = ("?", "？", "؟")


def significant(text: str, words: str, names: Sequence[str]) -> list[str]:
    """The significant words of the whole question, and of each of its last sentences that end in a question mark.

    `words`: of `text`, spelled as in the index. `names`: of user and companion; they don't count.
    """
    asked = [one for one in _ENDS.split(text) if one.endswith(_ASKS) and len(one) > 1][-MOST_ASKING:]
    whole, *asking = (telling(without_names(one, names)) for one in (words, *map(words_for_index, asked)))
    return [whole, *filter(str.strip, asking)]
