"""GET /v1/relationships/{id}/events: a page of JSON, or a live stream if the client accepts text/event-stream."""

import time
from collections.abc import Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.http import HttpResponseBase
from django.utils import timezone
from rest_framework.request import Request

from connect.events.reading import After, Place, happened_after, present_place
from relationships.api.views import ApiView
from web.fields import Answer, Query
from web.operations import operation
from web.stopping import stopping
from web.streams import NOTHING, STREAM, event_of, event_stream

TAG = "Events"

LOOK_EVERY, LONGEST = 1.0, 300.0  # seconds; in silence, the web server keeps the connection alive


class EventsQuery(Query):
    after: After | None = None
    """The `id` of the last event seen, or `next`; `0-0`: from the beginning; left out: from now on. The header
    Last-Event-ID does the same.
    """


class EventAnswer(Answer):
    id: str
    type: str
    """`memory.changed`, `turn.failed`, `deletions.held` or `session.ended`."""
    at: datetime
    data: dict[str, Any]
    """IDs and states, never texts."""


class EventsAnswer(Answer):
    items: list[EventAnswer]
    next: str
    """The `after` of the next request."""


class EventsView(ApiView):
    open_to_tokens = True

    @operation("events_list", "List or stream what happened", answers={200: EventsAnswer})
    def get(self, request: Request, relationship_id: UUID, query: EventsQuery) -> HttpResponseBase:
        """Oldest first. With `Accept: text/event-stream` the response stays open for five minutes and sends events
        about a second after they happen. A client that reconnects with Last-Event-ID misses nothing.
        """
        relationship, now = self.get_relationship(relationship_id), timezone.now()
        last = query.after or request.headers.get("Last-Event-ID")
        if last is None:
            after = present_place(relationship_id, now=now)
        else:
            after = Place.reached(last, last_seq=relationship.last_seq, now=now)
        if STREAM in request.headers.get("Accept", ""):
            return event_stream(_as_they_happen(relationship_id, after))
        told, place = happened_after(relationship_id, after, now=now)
        return self.answer({"items": [EventAnswer.of(one) for one in told], "next": str(place)})


def _as_they_happen(relationship_id: UUID, place: Place) -> Iterator[bytes]:
    """Stream events for five minutes, so that a revoked key is noticed, or until the process stops. Holds no database
    connection in between.
    """
    end = time.monotonic() + LONGEST
    yield f"id: {place}\nretry: 1000\ndata:\n\n".encode()
    while time.monotonic() < end and not stopping.is_set():
        told, place = happened_after(relationship_id, place, now=timezone.now())
        connection.close()
        if told:
            yield b"".join(
                event_of(one.type, {"type": one.type, "at": one.at, **one.data}, number=one.id)
                for one in told
            )
        else:
            stopping.wait(LOOK_EVERY)
            yield NOTHING
