"""Entries of a given age, written by the services."""

from datetime import UTC, datetime, timedelta
from typing import Any

from memory.entries.adding import add_entry
from memory.models import EntrySource, ScratchpadEntry
from relationships.models import Relationship
from web.actor import Actor

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
BY = Actor.policy("test")


def remember(relationship: Relationship, content: str, *, days: float, **values: Any) -> ScratchpadEntry:
    told = {"content": content, "type": "event", "effective_at": NOW - timedelta(days=days), **values}
    return add_entry(relationship=relationship, values=told, by=BY, source=EntrySource.MANUAL)
