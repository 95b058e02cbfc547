"""Packs the index of long conversations: a search reads one row for every 128 places, not one for each message.

A segment is written when its last place is taken, and again in the transaction of every change of a row in it: what
was erased, or went off the record, is gone from it too. There is nothing in it but what its SearchText rows say.
"""

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from django.db import connection

from memory.retrieval.statements import SEGMENT, SENT_OF_MESSAGES, WHO
from relationships.ids import uuid7

# A tsvector's positions go to 16,383, and a word has 256 at most: so one of 128 places with a count of up to 127.
MOST_COUNTED = 127
_MOST_BYTES = 700_000  # of the words of one, as a tsvector holds a megabyte. What has more is read row by row

COLUMNS = ("number", "languages", "names", *SENT_OF_MESSAGES, "lexemes")
_PACKED = ", ".join(f"string_agg({sent}, ''::bytea) AS {name}" for name, sent in SENT_OF_MESSAGES.items())
_ROWS = f"""SELECT * FROM memory_searchtext t
             WHERE t.relationship_id = r.id AND t.kind = 'message' AND t.state = 'active'
               AND t.place >= n.number * {SEGMENT} AND t.place < (n.number + 1) * {SEGMENT}
             ORDER BY t.place"""  # noqa: S608 - our own column names
# What the segments of `numbers` have to hold: those that are full, and have anything to be found.
MADE = f"""
SELECT r.id AS relationship_id, n.id, r.project_id, n.number, packed.*, words.lexemes
  FROM relationships_relationship r,
       unnest(%(ids)s::uuid[], %(numbers)s::bigint[]) AS n (id, number),
       LATERAL (SELECT array_agg(DISTINCT s.language ORDER BY s.language) AS languages,
                       jsonb_object_agg({WHO}, hashtext({WHO})) AS names, {_PACKED}
                  FROM ({_ROWS}) s HAVING count(*) > 0) packed,
       LATERAL (SELECT CASE WHEN coalesce(sum(octet_length(lexeme) + 8 + 2 * found), 0) < {_MOST_BYTES} THEN
                       coalesce(string_agg(quoted || ':' || positions, ' ' ORDER BY lexeme), '') END::tsvector
                       AS lexemes
                  FROM (SELECT w.lexeme, count(*) AS found,
                               '''' || replace(replace(w.lexeme, '\\', '\\\\'), '''', '''''') || '''' AS quoted,
                               string_agg((s.place %% {SEGMENT} * {SEGMENT}
                                           + least(cardinality(w.positions), {MOST_COUNTED}))::text, ',') AS positions
                          FROM ({_ROWS}) s, unnest(s.lexemes) w GROUP BY w.lexeme) each_word) words
 WHERE r.id = %(relationship)s AND words.lexemes IS NOT NULL
   AND (n.number + 1) * {SEGMENT} - 1 <= (SELECT max(t.place) FROM memory_searchtext t
                                           WHERE t.relationship_id = r.id AND t.kind = 'message')
"""  # noqa: S608 - our own column names
_WRITE = f"""
INSERT INTO memory_searchsegment (relationship_id, id, project_id, {", ".join(COLUMNS)}) {MADE}
"""
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
