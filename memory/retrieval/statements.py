"""The statements of a search, for entries and for messages.

The rows are returned as one packed byte string, as thousands of Python objects would take five times as long as reading
the rows. No value in it may be null, as the row would be left out.
"""

from collections.abc import Mapping
from functools import cache

from memory.aliases import LONGEST_SAYING, MOST_SAYINGS, SAYS_ALIAS
from memory.models import SearchedKind
from memory.retrieval.index.segments import COUNTS, PACK_MESSAGES, SEGMENT, TERMS, WHO

NEWEST_SPEAKERS = 2000  # messages that are read for further speakers

# The participants, whose names are removed from the question; the configuration's levels; and the entries that may say
# that two names are one person's.
PARTICIPANTS = f"""
SELECT p.config::text, c.config::text, r.config::text, u.display_name, c.name, r.language,
       (SELECT array_agg(DISTINCT t.speaker)
          FROM (SELECT speaker FROM memory_searchtext
                 WHERE %(kind)s = 'message' AND relationship_id = %(relationship)s AND kind = 'message'
                 ORDER BY place DESC LIMIT %(newest)s) t
         WHERE t.speaker <> ''),
       (SELECT array_agg(said.content)
          FROM (SELECT left(content, {LONGEST_SAYING}) AS content FROM memory_scratchpadentry
                 WHERE relationship_id = %(relationship)s AND state = 'active' AND content ~ '{SAYS_ALIAS}'
                 ORDER BY effective_at DESC LIMIT {MOST_SAYINGS}) said)
  FROM relationships_relationship r
  JOIN relationships_companion c ON c.id = r.companion_id
  JOIN relationships_project p ON p.id = r.project_id
  JOIN relationships_enduser u ON u.id = r.user_id
 WHERE r.id = %(relationship)s AND r.project_id = %(project)s
"""  # noqa: S608 - our own pattern

# Whether an entry may be found, with the parameters of `columns.entry_filters` and `now`. (Messages are filtered in
# Python.) An entry that has ended or has yet to begin is not found, even before it is marked as expired.
ALLOWED = """n.state = ANY(%(states)s) AND n.tags @> %(tags)s::jsonb
    AND (%(types)s::text[] = '{}' OR n.type = ANY(%(types)s))
    AND (%(tiers)s::text[] = '{}' OR n.tier = ANY(%(tiers)s))
    AND (%(subject)s::text IS NULL OR n.subject = %(subject)s::text)
    AND (%(category)s::text IS NULL OR n.category = %(category)s::text)
    AND (n.state <> 'active' OR (coalesce(n.expires_at, 'infinity') > %(now)s
         AND coalesce(n.valid_to, 'infinity') > %(now)s AND coalesce(n.valid_from, '-infinity') <= %(now)s))
    AND (%(told_from)s::timestamptz IS NULL OR s.told_at >= %(told_from)s::timestamptz)
    AND (%(told_to)s::timestamptz IS NULL OR s.told_at < %(told_to)s::timestamptz)"""
# What is packed of an entry, and the type by which numpy reads it.
_OF_AN_ENTRY: Mapping[str, tuple[str, str]] = {
    "id": ("uuid_send(s.owner_id)", "S16"),
    "told": ("float8send(date_part('epoch', s.told_at))", ">f8"),
    "length": ("int4send(s.length)", ">i4"),
    "who": (f"int4send(hashtext({WHO}))", ">i4"),
    "touched": ("float8send(date_part('epoch', coalesce(n.last_accessed_at, s.told_at)))", ">f8"),
    "importance": ("float8send(n.importance)", ">f8"),
    "weight": ("float8send(n.weight)", ">f8"),
    "counted": ("boolsend(n.state = 'active')", "?"),
    "allowed": (f"boolsend({ALLOWED})", "?"),
}
PACKED_ENTRY = [(name, kind) for name, (_, kind) in _OF_AN_ENTRY.items()]
_PACK_ENTRIES = f"string_agg({' || '.join(how for how, _ in _OF_AN_ENTRY.values())}, ''::bytea)"
ENTRY_ROWS = """memory_searchtext s
    JOIN memory_scratchpadentry n ON n.relationship_id = s.relationship_id AND n.id = s.owner_id
   WHERE s.relationship_id = %(relationship)s AND s.kind = 'entry'
     AND (n.state = 'active' OR n.state = ANY(%(states)s))"""

FEW_WORDS = 32  # this many are looked up, whatever the number of rows

# The questions' words are OR-ed, as a question of ten words may be answered by a text with two of them. Of a text with
# any, only these words are unpacked: they are marked, and the rest is filtered out. Of too many words the longest are
# looked up, as they are the rarest.
_QUERY = """
WITH languages AS MATERIALIZED (
    SELECT %(languages)s::text[] AS names
), asked AS MATERIALIZED (
    SELECT DISTINCT q.number, l.lexeme
      FROM unnest(%(words)s::text[]) WITH ORDINALITY AS q (words, number),
           unnest((SELECT names FROM languages)) AS language,
           unnest(to_tsvector(('pg_catalog.' || language)::regconfig, q.words)) l
), sought AS MATERIALIZED (
    SELECT lexeme, (row_number() OVER (ORDER BY lexeme) - 1)::int AS term
      FROM (SELECT lexeme FROM asked GROUP BY lexeme ORDER BY length(lexeme) DESC, lexeme
             LIMIT CASE WHEN (SELECT count(DISTINCT lexeme) FROM asked) > {few_words} THEN
                   greatest({few_words}, %(most_looked_up)s::bigint / (
                       SELECT greatest(count(*), 1) FROM memory_searchtext s
                        WHERE s.relationship_id = %(relationship)s AND s.kind = %(kind)s{only})) END) AS longest
), query AS MATERIALIZED (
    SELECT string_agg('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''', '|')::tsquery AS any_word,
           array_agg(lexeme ORDER BY term) AS lexemes
      FROM sought
)"""
_ASKED = """
SELECT (SELECT array_agg(ARRAY[a.number - 1, t.term]) FROM asked a JOIN sought t ON t.lexeme = a.lexeme) AS asked,
       (SELECT count(DISTINCT lexeme) FROM asked) > (SELECT count(*) FROM sought) AS too_many_words,
       (SELECT lexemes FROM query), found.*, hits.*, vectors.*"""
_TERM = "array_position((SELECT lexemes FROM query), w.lexeme) - 1"
_SOUGHT_IN = "unnest(ts_filter(setweight({row}.lexemes, 'A', (SELECT lexemes FROM query)), '{{{{a}}}}')) w"
_OTHER = "s.language <> ALL((SELECT names FROM languages)::text[])"
# One scan reads all entries, aggregated by subject and then altogether.
_OF_ENTRIES = f"""{_QUERY}{_ASKED}
  FROM (SELECT string_agg(packed, ''::bytea) AS packed, bool_or(other_language) AS other_language,
               jsonb_object_agg(name, hashtext(name))::text AS people
          FROM (SELECT {WHO} AS name, {{packed}} AS packed, bool_or({_OTHER}) AS other_language
                  FROM {ENTRY_ROWS}{{only}} GROUP BY 1) AS by_name) AS found,
       (SELECT string_agg(uuid_send(s.owner_id), ''::bytea) AS hit_id,
               string_agg(int4send({_TERM}), ''::bytea) AS hit_term,
               string_agg(int4send(cardinality(w.positions)), ''::bytea) AS hit_count
          FROM memory_searchtext s, {_SOUGHT_IN.format(row="s")}
         WHERE s.relationship_id = %(relationship)s AND s.kind = %(kind)s
           AND s.lexemes @@ (SELECT any_word FROM query){{only}}) AS hits,
       ({{vectors}}) AS vectors
"""  # noqa: S608 - our own column names
# Messages are read from the segments, and row by row for places without a segment: `open`. What is off the record
# (`skipped`) is never found. Nor is a message that a deleted entry cites, as it would repeat what should be forgotten;
# the IDs of these are returned as `hidden`.
_OF_MESSAGES = f"""{_QUERY}, open AS MATERIALIZED (
    SELECT every.number
      FROM generate_series(0, (SELECT max(place) / {SEGMENT} FROM memory_searchtext
                                WHERE relationship_id = %(relationship)s AND kind = %(kind)s)) AS every (number)
     WHERE NOT EXISTS (SELECT 1 FROM memory_searchsegment g
                        WHERE g.relationship_id = %(relationship)s AND g.number = every.number)
), loose AS MATERIALIZED (
    SELECT s.* FROM open CROSS JOIN LATERAL (
           SELECT * FROM memory_searchtext t
            WHERE t.relationship_id = %(relationship)s AND t.kind = %(kind)s AND t.state = 'active'
              AND t.place >= open.number * {SEGMENT} AND t.place < (open.number + 1) * {SEGMENT} OFFSET 0) s
){_ASKED},
       (SELECT string_agg(uuid_send(shown), ''::bytea) FROM memory_scratchpadentry e, unnest(e.source_message_ids) shown
         WHERE e.relationship_id = %(relationship)s AND e.state = 'deleted') AS hidden,
       hashtextextended(%(session)s::text, 0) AS session_asked
  FROM (SELECT string_agg(packed, ''::bytea) AS packed, bool_or(other_language) AS other_language,
               string_agg(people, ',') AS people
          FROM ((SELECT packed, names::text AS people,
                        NOT languages <@ (SELECT names FROM languages)::varchar[] AS other_language
                   FROM memory_searchsegment WHERE relationship_id = %(relationship)s ORDER BY number)
                 UNION ALL
                SELECT {PACK_MESSAGES}, (SELECT jsonb_object_agg(name, hashtext(name))::text
                                           FROM (SELECT DISTINCT {WHO} AS name FROM loose s) AS names),
                       bool_or({_OTHER})
                  FROM loose s HAVING count(*) > 0) AS stretches) AS found,
       (SELECT string_agg(int8send(hit), ''::bytea) AS hits
          FROM (SELECT (g.number * {SEGMENT * COUNTS} + position) * {TERMS} + found.term AS hit
                  FROM memory_searchsegment g, {_SOUGHT_IN.format(row="g")},
                       LATERAL (SELECT {_TERM} AS term OFFSET 0) found, unnest(w.positions) AS position
                 WHERE g.relationship_id = %(relationship)s
                 UNION ALL
                SELECT (s.place * {COUNTS} + least(cardinality(w.positions), {COUNTS - 1})) * {TERMS} + {_TERM}
                  FROM loose s, {_SOUGHT_IN.format(row="s")}
                 WHERE s.lexemes @@ (SELECT any_word FROM query)) AS each_hit) AS hits,
       ({{vectors}}) AS vectors
"""  # noqa: S608 - our own column names
_NO_VECTORS = "SELECT NULL::bytea AS vector_id"
_VECTORS = """SELECT string_agg(uuid_send(s.owner_id), ''::bytea) AS vector_id, {cosines}
          FROM memory_embedding s
         WHERE s.relationship_id = %(relationship)s AND s.kind = %(kind)s AND s.model = %(model)s
           AND s.dimensions = %(dimensions)s{only}"""
_COSINE = (
    "string_agg(float8send(1 - (s.vector <=> %(vector{number})s::halfvec)), ''::bytea) AS cosine{number}"
)
_ONLY = " AND s.owner_id = ANY(%(only)s)"

LANGUAGES = """
SELECT DISTINCT language FROM memory_searchtext WHERE relationship_id = %(relationship)s AND kind = %(kind)s
"""


@cache
def read_statement(kind: SearchedKind, *, vectors: int, only: bool) -> str:
    """The statement of a search. `vectors`: how many questions have one. `only`: read only the entries `%(only)s`."""
    limit = _ONLY if only else ""
    cosines = ", ".join(_COSINE.format(number=number) for number in range(vectors))
    statement = _OF_ENTRIES if kind == SearchedKind.ENTRY else _OF_MESSAGES
    made = statement.format(
        packed=_PACK_ENTRIES,
        few_words=FEW_WORDS,
        only=limit,
        vectors=_VECTORS.format(cosines=cosines, only=limit) if vectors else _NO_VECTORS,
    )
    return " ".join(made.split())  # psycopg parses statements of over 4,096 characters at each use
