"""Hide messages: they are kept unchanged, but not used for anything until they are shown again."""

from collections.abc import Callable, Collection
from datetime import datetime
from uuid import UUID

from relationships.models import Message

# Called in the same transaction with the relationship's ID, the messages' IDs, and now.
hiding_listeners: list[Callable[[UUID, Collection[UUID], datetime], None]] = []


def hide_messages(*, relationship_id: UUID, message_ids: Collection[UUID], now: datetime) -> int:
    """Hide messages; return how many were not hidden before.

    Call it in a transaction, under the relationship's row lock.
    """
    return _write(relationship_id, message_ids, now, hidden_at=now)


def show_messages(*, relationship_id: UUID, message_ids: Collection[UUID], now: datetime) -> int:
    """Undo hide_messages, in the same way. Messages that were erased meanwhile stay empty."""
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
