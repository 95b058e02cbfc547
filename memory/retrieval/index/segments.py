"""Pack the index of long conversations, so that a search reads one row for 128 messages instead of one for each.

A segment is written when its last place is taken, and again in the transaction of every change of one of its rows, so
that what was erased or is off the record is removed from it, too. It contains only what its SearchText rows contain.
"""

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from config.postgresql.sessions import execute
from relationships.ids import uuid7

WHO = "coalesce(nullif(s.speaker, ''), s.role)"
# A message's packed bytes, which numpy reads as PACKED_MESSAGE.
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
# A hit in a message is one number made of its place, how often the word occurs there, and which word. A segment's
# tsvector has the first two as a position; positions go to 16,383, and a word has 256 at most.
COUNTS, TERMS = 128, 8192
_MOST_BYTES = (
    700_000  # of a segment's words, as a tsvector has up to a megabyte; with more, rows are read singly
)

_ROWS = f"""SELECT * FROM memory_searchtext t
             WHERE t.relationship_id = n.relationship_id AND t.kind = 'message' AND t.state = 'active'
               AND t.place >= n.number * {SEGMENT} AND t.place < (n.number + 1) * {SEGMENT}
             ORDER BY t.place LIMIT {SEGMENT}"""  # noqa: S608 - our own; by the index of places, whatever is known of them
# The content of segment `n`; no row if it isn't full, or has nothing to find, or too many words.
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


def pack_messages(relationship_id: UUID, places: Sequence[int], *, last: int | None) -> None:
    """After rows of these places were written, write the segments that are full now, and those that were changed.

    `last`: the last existing segment. Most writes fill none, and cost nothing here.
    """
    last = -1 if last is None else last
    changed = {place // SEGMENT for place in places}
    full = range(last + 1, (max(places, default=0) + 1) // SEGMENT)
    pack_again(relationship_id, {*full, *(number for number in changed if number <= last)})


def pack_again(relationship_id: UUID, numbers: Collection[int]) -> None:
    """Rewrite these segments from their rows; delete those that aren't full or have nothing to find."""
    if not numbers:
        return
    params: dict[str, Any] = {
        "relationship": relationship_id,
        "numbers": sorted(numbers),
        "ids": [uuid7() for _ in numbers],
    }
    execute(_DROP, params)
    execute(_WRITE, params)
