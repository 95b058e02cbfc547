"""Keeps with a relationship in which language its two people talk. It is found again as the conversation grows."""

from functools import cache
from uuid import UUID

from django.db import connection

from memory.retrieval.index.languages import SAMPLE, UNKNOWN, language_of
from memory.retrieval.index.rows import spoken

_NEWEST = """
SELECT content FROM relationships_message
 WHERE relationship_id = %s AND erased_at IS NULL AND role IN ('user', 'assistant')
 ORDER BY seq DESC LIMIT %s
"""
_KEEP = "UPDATE relationships_relationship SET language = %s WHERE id = %s AND language <> %s"


@cache
def known_languages() -> frozenset[str]:
    """The text search configurations that this PostgreSQL brings."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT cfgname::text FROM pg_ts_config WHERE cfgnamespace = 'pg_catalog'::regnamespace"
        )
        return frozenset(row[0] for row in cursor.fetchall())


def looks_again(first_seq: int, last_seq: int) -> bool:
    """Whether a language is to be looked for after these numbers: each time that there are twice as many."""
    return last_seq.bit_length() != (first_seq - 1).bit_length()


def keep_language(relationship_id: UUID) -> bool:
    """Look at the newest messages; whether the language is another than was kept. What was known stays where the
    newest are too few, or mixed. Call under the relationship's row lock."""
    with connection.cursor() as cursor:
        cursor.execute(_NEWEST, [relationship_id, SAMPLE])
        found = language_of([spoken(row[0]) for row in cursor.fetchall()])
        if found == UNKNOWN:
            return False
        cursor.execute(_KEEP, [found, relationship_id, found])
        return bool(cursor.rowcount)
