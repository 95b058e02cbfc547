"""Asks a large relationship's text index: how often words stand there, and who holds the rarest of them."""

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from uuid import UUID

from django.db.backends.utils import CursorWrapper
from psycopg import sql

from memory.retrieval.columns import UNKNOWN_LANGUAGE
from memory.retrieval.large.known import ReadyIndex
from memory.retrieval.large.nearest import From
from memory.retrieval.large.statements import IndexKey, covered

FETCH = 1000  # rows that are ranked for their words
MATCHED = (
    5000  # rows that are looked at for that; words so common that there would be more are left to the ranking
)
WEIGHED = 100  # words, the rarest; a sum of very many is more than PostgreSQL's stack holds
REACH = 4  # a message's neighbours lend it their words, so they are ranked with it

_LEXEMES = """
SELECT lexeme FROM (
    SELECT DISTINCT l.lexeme FROM unnest(%(words)s::text[]) AS words, pg_ts_config c,
           unnest(to_tsvector(c.oid::regconfig, words)) l
     WHERE c.cfgname = %(language)s AND c.cfgnamespace = 'pg_catalog'::regnamespace
) AS asked ORDER BY lexeme
"""
# A row for each word: a statement has room for 1,664 columns.
_COUNT = """
SELECT held.documents FROM unnest(%s::tsquery[]) WITH ORDINALITY AS asked (word, number),
       LATERAL (SELECT count(*) AS documents FROM memory_searchtext
                 WHERE {covered} AND state = 'active' AND lexemes @@ asked.word) AS held
 ORDER BY asked.number
"""
_HOLDING = """
SELECT s.owner_id FROM {rows} AND {covered} AND s.lexemes @@ {any_word}::tsquery
 ORDER BY {worth} DESC, s.length, s.told_at DESC LIMIT {fetch}
"""
_NEIGHBOURS = """
SELECT near.owner_id FROM memory_searchtext s,
       LATERAL ((SELECT owner_id FROM memory_searchtext b WHERE {b} AND b.place < s.place ORDER BY b.place DESC
                  LIMIT {reach})
                UNION ALL
                (SELECT owner_id FROM memory_searchtext a WHERE {a} AND a.place > s.place ORDER BY a.place
                  LIMIT {reach})) near
 WHERE {s} AND s.owner_id = ANY(%s)
"""


def count_documents(
    cursor: CursorWrapper, key: IndexKey, questions: Sequence[str], language: str | None
) -> dict[str, int]:
    """In how many active rows each lexeme of these questions stands, in the order that the ranking gives them."""
    cursor.execute(_LEXEMES, {"words": list(questions), "language": language or UNKNOWN_LANGUAGE})
    lexemes = [row[0] for row in cursor.fetchall()]
    if not lexemes:
        return {}
    cursor.execute(sql.SQL(_COUNT).format(covered=covered(key)), [list(map(quoted, lexemes))])
    return dict(zip(lexemes, (row[0] for row in cursor.fetchall()), strict=True))


def holding_rarest(
    cursor: CursorWrapper, index: ReadyIndex, source: From, documents: Mapping[str, int]
) -> set[UUID]:
    """FETCH rows that hold the rarest words: most of their worth first (BM25's idf), shorter texts before longer.

    The worth is that of the WEIGHED rarest words.
    """
    there = {lexeme: documents[lexeme] for lexeme in _by_rarity(documents) if documents[lexeme]}
    if not there:
        return set()
    # As parameters: a percent sign in a word would be taken for the mark of one.
    weighed = dict(islice(there.items(), WEIGHED))
    values = {f"word{place}": quoted(lexeme) for place, lexeme in enumerate(weighed)}
    worth = sql.SQL(" + ").join(
        sql.SQL("(s.lexemes @@ {}::tsquery)::int * {}").format(
            sql.Placeholder(f"word{place}"), sql.Literal(_idf(index.rows, count))
        )
        for place, count in enumerate(weighed.values())
    )
    statement = sql.SQL(_HOLDING).format(
        rows=source.rows,
        covered=covered(index.key, "s"),
        any_word=sql.Placeholder("any_word"),
        worth=worth,
        fetch=sql.Literal(FETCH),
    )
    values["any_word"] = "|".join(map(quoted, rarest(there)))
    cursor.execute(statement, {**source.values, **values})
    return {row[0] for row in cursor.fetchall()}


def with_neighbours(cursor: CursorWrapper, key: IndexKey, owner_ids: Collection[UUID]) -> set[UUID]:
    """These messages, and REACH before and after each."""
    aliases = {alias: covered(key, alias) for alias in ("a", "b", "s")}
    cursor.execute(sql.SQL(_NEIGHBOURS).format(reach=sql.Literal(REACH), **aliases), [list(owner_ids)])
    return {*owner_ids, *(row[0] for row in cursor.fetchall())}


def rarest(documents: Mapping[str, int]) -> list[str]:
    """The rarest words, as many as stand in MATCHED rows together; the rarest of all in any case."""
    chosen: list[str] = []
    matched = 0
    for lexeme in _by_rarity(documents):
        matched += documents[lexeme]
        if chosen and matched > MATCHED:
            break
        chosen.append(lexeme)
    return chosen


def quoted(lexeme: str) -> str:
    """A lexeme as a tsquery of its own, whatever signs it holds."""
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"


def _by_rarity(documents: Mapping[str, int]) -> list[str]:
    return sorted(documents, key=lambda lexeme: (documents[lexeme], lexeme))


def _idf(rows: int, documents: int) -> float:
    return math.log(1 + max(0.0, rows - documents + 0.5) / (documents + 0.5))
