"""A fact to forget, for the tests of erasing an entry."""

from typing import Any

from memory.models import ScratchpadEntry
from tests.fixtures.turns import Conversation
from tests.integration.copies import dump, tables_with
from upkeep.erasure.entries import erase_entry
from web.actor import Actor, ActorKind

ANA = Actor(ActorKind.OPERATOR, "ana@example.org")
NOTHING: dict[str, list[object]] = {"operations": []}
HERON = "Has a tattoo of a heron"


def erase(conversation: Conversation, entry: ScratchpadEntry, **how: Any) -> dict[str, int]:
    return dict(
        erase_entry(relationship_id=conversation.relationship.id, entry_id=entry.id, by=ANA, **how).counts
    )


def texts_with(word: str) -> list[str]:
    """The tables that still contain the word, in any column and any spelling."""
    return sorted(tables_with(word, dump()))
