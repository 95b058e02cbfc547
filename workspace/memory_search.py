"""Lets an agent search what is not in files: all entries, archived ones included, and messages."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from context.layers.memory import items_of
from memory.entries.happens import day_of
from memory.entries.snapshots import line_of
from memory.fence import cut_fenced
from memory.models import ScratchpadEntry
from memory.retrieval.search import params_of, search_entries, search_messages
from relationships.models import Message, Relationship
from relationships.services.configuration import configuration_of
from relationships.text_names import name_in_text

MOST, LONGEST = 20, 1000  # lines; characters shown of a message


def recall(relationship: Relationship, query: str, *, messages: bool) -> str:
    """Search, one line per result, best first. Call without an open transaction: it may call an embedder."""
    configuration, now = configuration_of(relationship).values, timezone.now()
    params = params_of(configuration, **relationship.owner, now=now) | {"top_k": MOST}
    found = (search_messages if messages else search_entries)(text=query, **params)
    rows: Any = Message if messages else ScratchpadEntry
    owned = rows.objects.for_relationship(relationship.id)
    owned = owned.filter(erased_at=None, hidden_at=None) if messages else owned.active()
    there = {row.id: row for row in owned.filter(id__in=[hit.id for hit in found.hits])}
    shown = [there[hit.id] for hit in found.hits if hit.id in there]
    lines = [
        _message_line(relationship, one) if messages else _entry_line(relationship, one, now) for one in shown
    ]
    return "\n".join(lines) or "Nothing is found about this."


def messages_gone(relationship_id: UUID) -> int:
    """The number of messages that are not found, as they are hidden or erased."""
    gone = Q(hidden_at__isnull=False) | Q(erased_at__isnull=False)
    count: int = Message.objects.for_relationship(relationship_id).filter(gone).count()
    return count


def _entry_line(relationship: Relationship, entry: ScratchpadEntry, now: datetime) -> str:
    item = items_of([line_of(entry)], timezone=relationship.timezone, now=now, dated=True)[0]
    return f"{item} ({entry.type})"


def _message_line(relationship: Relationship, message: Message) -> str:
    names = {"user": str(relationship.user), "assistant": relationship.companion.name}
    speaker = name_in_text(message.speaker or names.get(message.role, message.role))
    text = " ".join(cut_fenced(message.content)[0].split())[:LONGEST]
    return f"- {day_of(message.occurred_at.timestamp(), relationship.timezone)} {speaker}: {text}"
