"""Acknowledges and streams messages that wait for the person."""

import time
from collections.abc import Iterator
from uuid import UUID

from django.utils import timezone

from behaviours.models import OutboxMessage
from config.postgresql.sessions import release_connection
from relationships.services.rows import require
from web.streams import event_of
from worker.waiting import waiting_place

BEAT_SECONDS = 10.0  # between keep-alive comments of a stream
RETRY_MILLISECONDS = 1000  # after which a client reconnects


def acknowledge(*, relationship_id: UUID, message_id: UUID) -> OutboxMessage:
    """Mark a message as taken by the application. Repeating it changes nothing. Raises NotFound."""
    rows = OutboxMessage.objects.for_relationship(relationship_id).filter(id=message_id)
    require(rows, "message")
    rows.filter(acknowledged_at=None).update(acknowledged_at=timezone.now())
    message: OutboxMessage = rows.get()
    return message


def stream(*, relationship_id: UUID, seconds: float, after: UUID | None) -> Iterator[bytes]:
    """Yield waiting and new messages as server-sent events, for `seconds` seconds. `after`: the last message that the
    client knows.
    """
    end = time.monotonic() + seconds
    yield f"retry: {RETRY_MILLISECONDS}\n\n".encode()
    with waiting_place(relationship_id, counted=False) as place:
        assert place is not None, "uncounted waiters always get a place"
        while True:
            place.rest()
            rows = OutboxMessage.objects.for_relationship(relationship_id).waiting()
            if after:  # before the runs are read, so that none is read of what was sent
                rows = rows.filter(id__gt=after)
            for message in list(rows.without_hidden(relationship_id)):
                after = message.id
                yield _event(message)
            release_connection()  # hold no connection while waiting
            left = end - time.monotonic()
            if left <= 0:
                return
            if not place.wait(min(left, BEAT_SECONDS)):
                yield b": still here\n\n"


def _event(message: OutboxMessage) -> bytes:
    told = {
        "id": message.id,
        "behaviour": message.behaviour,
        "turn": message.turn_id,
        "content": message.content,
        "recorded_at": message.recorded_at,
    }
    return event_of("message", told, number=message.id)
