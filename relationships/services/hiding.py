"""Hides messages: they stay as they were said, and nothing is made of them any more, until they are shown again."""

from collections.abc import Callable, Collection
from datetime import datetime
from uuid import UUID

from relationships.models import Message

# Who is told, in the transaction: functions of the relationship's ID, the messages' IDs and the present.
hiding_listeners: list[Callable[[UUID, Collection[UUID], datetime], None]] = []


def hide_messages(*, relationship_id: UUID, message_ids: Collection[UUID], now: datetime) -> int:
    """Call it in a transaction, under the relationship's row lock. How many were not hidden before."""
    return _write(relationship_id, message_ids, now, hidden_at=now)


def show_messages(*, relationship_id: UUID, message_ids: Collection[UUID], now: datetime) -> int:
    """The opposite. What was erased meanwhile stays empty."""
    return _write(relationship_id, message_ids, now, hidden_at=None)


def _write(
    relationship_id: UUID, message_ids: Collection[UUID], now: datetime, *, hidden_at: datetime | None
) -> int:
    owned = Message.objects.for_relationship(relationship_id).filter(id__in=list(message_ids))
    changed: int = owned.filter(hidden_at__isnull=hidden_at is not None).update(hidden_at=hidden_at)
    if changed:
        for listener in hiding_listeners:
            listener(relationship_id, message_ids, now)
    return changed
