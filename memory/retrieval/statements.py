"""The statements of a search, for entries and for messages.

A column comes as one packed string of bytes: as Python objects, thousands of rows would cost five times what reading
them does. No value in a column may be null, for then the rows after it would be taken for their neighbours.
"""

from collections.abc import Mapping
from functools import cache

from memory.models import SearchedKind

NEWEST_SPEAKERS = 2000  # so many messages are looked at for who takes part

# Who takes part, before the question is embedded: their names are left out of it.
PARTICIPANTS = """
SELECT u.display_name, c.name,
       (SELECT array_agg(DISTINCT t.speaker)
          FROM (SELECT speaker FROM memory_searchtext
                 WHERE %(kind)s = 'message' AND relationship_id = %(relationship)s AND kind = 'message'
                 ORDER BY place DESC LIMIT %(newest)s) t
         WHERE t.speaker <> '')
  FROM relationships_relationship r
  JOIN relationships_companion c ON c.id = r.companion_id
  JOIN relationships_enduser u ON u.id = r.user_id
 WHERE r.id = %(relationship)s AND r.project_id = %(project)s
"""

_IN_TIME = """(%(told_from)s::timestamptz IS NULL OR s.told_at >= %(told_from)s::timestamptz)
    AND (%(told_to)s::timestamptz IS NULL OR s.told_at < %(told_to)s::timestamptz)"""
# What is over, or has yet to begin, is not found among what holds now, even before it is swept.
_ENTRY_ALLOWED = f"""n.state = ANY(%(states)s) AND n.tags @> %(tags)s::jsonb
    AND (%(types)s::text[] = '{{}}' OR n.type = ANY(%(types)s))
    AND (%(tiers)s::text[] = '{{}}' OR n.tier = ANY(%(tiers)s))
    AND (%(subject)s::text IS NULL OR n.subject = %(subject)s::text)
    AND (%(category)s::text IS NULL OR n.category = %(category)s::text)
    AND (n.state <> 'active' OR (coalesce(n.expires_at, 'infinity') > %(now)s
         AND coalesce(n.valid_to, 'infinity') > %(now)s AND coalesce(n.valid_from, '-infinity') <= %(now)s))
    AND {_IN_TIME}"""
_MESSAGE_ALLOWED = f"""(%(roles)s::text[] = '{{}}' OR s.role = ANY(%(roles)s))
    AND (%(session)s::text IS NULL OR s.session = %(session)s::text)
    AND s.owner_id <> ALL(%(exclude)s::uuid[]) AND {_IN_TIME}"""

# Whether a row may be found, by the names of `columns.filter_values` and `now`.
ALLOWED: Mapping[SearchedKind, str] = {
    SearchedKind.ENTRY: _ENTRY_ALLOWED,
    SearchedKind.MESSAGE: _MESSAGE_ALLOWED,
}
# What was told off the record (`skipped`) is found by nobody, and neither is what a deleted entry rests on: it would
# only say again what was to be forgotten. One look at the deleted entries for all rows, as IN is hashed.
_TO_BE_SHOWN = """s.state = 'active' AND (s.owner_id IN (
         SELECT unnest(e.source_message_ids) FROM memory_scratchpadentry e
          WHERE e.relationship_id = %(relationship)s AND e.state = 'deleted')) IS NOT TRUE"""
_WHO = "coalesce(nullif(s.speaker, ''), s.role)"
_SHARED = {
    "id": "uuid_send(s.owner_id)",
    "told": "float8send(extract(epoch FROM s.told_at)::float8)",
    "length": "int4send(s.length)",
    "who": f"int4send(hashtext({_WHO}))",
}
_SENT: Mapping[SearchedKind, Mapping[str, str]] = {
    SearchedKind.ENTRY: {
        **_SHARED,
        "touched": "float8send(extract(epoch FROM coalesce(n.last_accessed_at, s.told_at))::float8)",
        "importance": "float8send(n.importance)",
        "weight": "float8send(n.weight)",
        "counted": "boolsend(n.state = 'active')",
        "allowed": f"boolsend({ALLOWED[SearchedKind.ENTRY]})",
    },
    SearchedKind.MESSAGE: {
        **_SHARED,
        "place": "int8send(s.place)",
        "session": "int4send(hashtext(s.session))",
        "allowed": f"boolsend({ALLOWED[SearchedKind.MESSAGE]})",
    },
}
ROWS = {
    SearchedKind.ENTRY: """memory_searchtext s
    JOIN memory_scratchpadentry n ON n.relationship_id = s.relationship_id AND n.id = s.owner_id
   WHERE s.relationship_id = %(relationship)s AND s.kind = %(kind)s
     AND (n.state = 'active' OR n.state = ANY(%(states)s))""",
    SearchedKind.MESSAGE: f"""memory_searchtext s
   WHERE s.relationship_id = %(relationship)s AND s.kind = %(kind)s AND {_TO_BE_SHOWN}""",
}

FEW_WORDS = 32  # so many are looked up, however many rows there are

# The questions' words are OR-ed: a question of ten words is answered by texts that hold two of them. Of a text that
# holds any, only those words are unpacked: they are marked, and the rest is filtered out. Of too many words the longest
# are looked up, as they are the rarest. One scan tells of all rows, gathered by who speaks and then together.
_READ = """
WITH languages AS MATERIALIZED (
    SELECT coalesce(array_agg(cfgname::text), '{{simple}}') AS names FROM pg_ts_config
     WHERE cfgname = ANY(%(languages)s) AND cfgnamespace = 'pg_catalog'::regnamespace
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
)
SELECT (SELECT array_agg(ARRAY[a.number - 1, t.term]) FROM asked a JOIN sought t ON t.lexeme = a.lexeme) AS asked,
       (SELECT count(DISTINCT lexeme) FROM asked) > (SELECT count(*) FROM sought) AS too_many_words,
       (SELECT lexemes FROM query), found.*, hits.*, vectors.*
  FROM (SELECT {gathered}, bool_or(other_language) AS other_language,
               jsonb_object_agg(name, hashtext(name))::text AS people
          FROM (SELECT {who} AS name, {columns},
                       bool_or(s.language <> ALL((SELECT names FROM languages)::text[])) AS other_language
                  FROM {rows} GROUP BY 1) AS by_name) AS found,
       (SELECT string_agg(uuid_send(s.owner_id), ''::bytea) AS hit_id,
               string_agg(int4send(array_position((SELECT lexemes FROM query), w.lexeme) - 1), ''::bytea) AS hit_term,
               string_agg(int4send(cardinality(w.positions)), ''::bytea) AS hit_count
          FROM memory_searchtext s,
               unnest(ts_filter(setweight(s.lexemes, 'A', (SELECT lexemes FROM query)), '{{a}}')) w
         WHERE s.relationship_id = %(relationship)s AND s.kind = %(kind)s
           AND s.lexemes @@ (SELECT any_word FROM query){only}) AS hits,
       ({vectors}) AS vectors
"""
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
    """`vectors`: how many questions have one, 0 for none. `only`: read chosen rows, `%(only)s`, and no others."""
    limit = _ONLY if only else ""
    cosines = ", ".join(_COSINE.format(number=number) for number in range(vectors))
    columns = (f"string_agg({sent}, ''::bytea) AS {name}" for name, sent in _SENT[kind].items())
    return _READ.format(
        who=_WHO,
        rows=ROWS[kind] + limit,
        columns=", ".join(columns),
        gathered=", ".join(f"string_agg({name}, ''::bytea) AS {name}" for name in _SENT[kind]),
        few_words=FEW_WORDS,
        only=limit,
        vectors=_VECTORS.format(cosines=cosines, only=limit) if vectors else _NO_VECTORS,
    )
