"""What the tests of erasing an entry share: a thing to forget, and a look into every table."""

from typing import Any

from django.db import connection

from memory.models import ScratchpadEntry
from tests.fixtures.turns import Conversation
from upkeep.erasure import erase_entry
from web.actor import Actor, ActorKind

ANA = Actor(ActorKind.OPERATOR, "ana@example.org")
NOTHING: dict[str, list[object]] = {"operations": []}
HERON = "Has a tattoo of a heron"


def erase(conversation: Conversation, entry: ScratchpadEntry, **how: Any) -> dict[str, int]:
    return dict(
        erase_entry(
            relationship_id=conversation.relationship.id, entry_id=entry.id, by=ANA, **how
        ).erasure.counts
    )


def texts_with(word: str) -> list[str]:
    """Which tables still hold the word, in any column."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition"
            " AND relnamespace = 'public'::regnamespace"
        )
        tables = [row[0] for row in cursor.fetchall()]
        found = []
        for table in tables:
            cursor.execute(f'SELECT count(*) FROM "{table}" t WHERE t::text ILIKE %s', [f"%{word}%"])
            if cursor.fetchone()[0]:
                found.append(table)
    return sorted(found)
