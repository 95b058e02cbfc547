"""Packs the index of long conversations: a search reads one row for 128 messages, not one for each.

A segment is written when its last place is taken, and again in the transaction of every change of one of its rows: so
what was erased, or went off the record, is gone from it too. It contains only what its SearchText rows contain.
"""

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from django.db import connection

from relationships.ids import uuid7

WHO = "coalesce(nullif(s.speaker, ''), s.role)"
# What is sent of a message, one after the other: numpy reads it as PACKED_MESSAGE.
_PACKED = (
    "uuid_send(s.owner_id) || float8send(date_part('epoch', s.told_at)) || int4send(s.length)"
    f' || int4send(hashtext({WHO})) || charsend(left(s.role, 1)::"char") || int8send(s.place)'
    " || int8send(hashtextextended(s.session, 0))"
)
PACK_MESSAGES = f"string_agg({_PACKED}, ''::bytea)"
PACKED_MESSAGE = [
    ("id", "S16"),
    ("told", ">f8"),
    ("length", ">i4"),
    ("who", ">i4"),
    ("role", "u1"),  # its first letter
    ("place", ">i8"),
    ("session", ">i8"),
]
SEGMENT = 128  # places of a conversation that are packed in one SearchSegment
# A hit of a message is one number: (its place, how often the word stands there, which word). A segment's tsvector holds
# the first two as a position, within the segment: those go to 16,383, and a word has 256 at most.
COUNTS, TERMS = 128, 8192
_MOST_BYTES = 700_000  # of the words of one, as a tsvector holds a megabyte. What has more is read row by row

_ROWS = f"""SELECT * FROM memory_searchtext t
             WHERE t.relationship_id = n.relationship_id AND t.kind = 'message' AND t.state = 'active'
               AND t.place >= n.number * {SEGMENT} AND t.place < (n.number + 1) * {SEGMENT}
             ORDER BY t.place LIMIT {SEGMENT}"""  # noqa: S608 - our own; by the index of places, whatever is known of them
# What the segment `n` has to hold: no row where it is not full, or has nothing to be found, or too much.
MADE = f"""
SELECT rows.*, words.lexemes
  FROM (SELECT array_agg(DISTINCT s.language ORDER BY s.language) AS languages,
               jsonb_object_agg({WHO}, hashtext({WHO})) AS names,
               string_agg({_PACKED}, ''::bytea ORDER BY s.place) AS packed
          FROM ({_ROWS}) s HAVING count(*) > 0) rows,
       (SELECT CASE WHEN coalesce(sum(octet_length(lexeme) + 8 + 2 * found), 0) < {_MOST_BYTES} THEN
               coalesce(string_agg(quoted || ':' || positions, ' '), '') END::tsvector AS lexemes
          FROM (SELECT w.lexeme, count(*) AS found,
                       '''' || replace(replace(w.lexeme, '\\', '\\\\'), '''', '''''') || '''' AS quoted,
                       string_agg((s.place %% {SEGMENT} * {COUNTS}
                                   + least(cardinality(w.positions), {COUNTS - 1}))::text, ',') AS positions
                  FROM ({_ROWS}) s, unnest(s.lexemes) w GROUP BY w.lexeme) each_word) words
 WHERE words.lexemes IS NOT NULL
   AND (n.number + 1) * {SEGMENT} - 1 <= (SELECT max(t.place) FROM memory_searchtext t
                                           WHERE t.relationship_id = n.relationship_id AND t.kind = 'message')
"""  # noqa: S608
_WRITE = f"""
INSERT INTO memory_searchsegment (relationship_id, id, project_id, number, languages, names, packed, lexemes)
SELECT r.id, n.id, r.project_id, n.number, made.*
  FROM relationships_relationship r
  JOIN (SELECT %(relationship)s::uuid AS relationship_id, id, number
          FROM unnest(%(ids)s::uuid[], %(numbers)s::bigint[]) AS wanted (id, number)) n ON n.relationship_id = r.id,
       LATERAL ({MADE}) made
"""  # noqa: S608
_DROP = (
    "DELETE FROM memory_searchsegment WHERE relationship_id = %(relationship)s AND number = ANY(%(numbers)s)"
)


def number_of(place: int) -> int:
    return place // SEGMENT


def pack_messages(relationship_id: UUID, places: Sequence[int], *, last: int | None) -> None:
    """After rows of these places were written: write the segments that are full now, and those that they changed.

    `last`: the last segment there is. Most writes fill none, and cost nothing more.
    """
    last = -1 if last is None else last
    changed = {number_of(place) for place in places}
    full = range(last + 1, number_of(max(places, default=0) + 1))
    pack_again(relationship_id, {*full, *(number for number in changed if number <= last)})


def pack_again(relationship_id: UUID, numbers: Collection[int]) -> None:
    """Write these segments as their rows are now; one that is not full, or has nothing to be found, goes."""
    if not numbers:
        return
    params: dict[str, Any] = {
        "relationship": relationship_id,
        "numbers": sorted(numbers),
        "ids": [uuid7() for _ in numbers],
    }
    with connection.cursor() as cursor:
        cursor.execute(_DROP, params)
        cursor.execute(_WRITE, params)
