from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import StreamingHttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from behaviours.api.schemas import OutboxAnswer, OutboxQuery, StreamQuery
from behaviours.models import OutboxMessage
from behaviours.outbox import acknowledge, stream
from relationships.api.views import ApiView
from web.errors import InvalidInput
from web.fields import Page
from web.operations import operation
from web.streams import event_stream

TAG = "Outbox"


class OutboxView(ApiView):
    open_to_tokens = True

    @operation(
        "outbox_list",
        "List messages that wait for the person, oldest first",
        answers={200: Page[OutboxAnswer]},
    )
    def get(self, request: Request, relationship_id: UUID, query: OutboxQuery) -> Response:
        rows = self.owned(OutboxMessage, relationship_id)
        rows = rows if query.acknowledged else rows.waiting()
        rows = rows if query.hidden else rows.without_hidden(relationship_id)
        return self.page(rows, present_message, order=["id"], query=query)


class AcknowledgeView(ApiView):
    open_to_tokens = True

    @operation("outbox_acknowledge", "Acknowledge a message", answers={200: OutboxAnswer})
    def post(self, request: Request, relationship_id: UUID, message_id: UUID) -> Response:
        """It is no longer listed and streamed. Repeating the call changes nothing."""
        self.get_relationship(relationship_id)
        return self.answer(
            present_message(acknowledge(relationship_id=relationship_id, message_id=message_id))
        )


class OutboxStreamView(ApiView):
    open_to_tokens = True
    http_method_names = ["get"]

    @operation("outbox_stream", "Stream messages as they come", answers={200: None}, streams=True)
    def get(self, request: Request, relationship_id: UUID, query: StreamQuery) -> StreamingHttpResponse:
        """Server-sent events: the waiting messages, then new ones, each as `event: message` with the message as `data`.
        The stream ends after `seconds`. A client that reconnects with `Last-Event-ID` gets the messages after that one.
        """
        self.get_relationship(relationship_id)
        seconds = min(float(query.seconds), settings.MAX_WAIT_SECONDS)
        return event_stream(
            stream(relationship_id=relationship_id, seconds=seconds, after=_last_event(request))
        )


def present_message(message: OutboxMessage) -> dict[str, Any]:
    return OutboxAnswer.of(message, run=message.run_id, turn=message.turn_id)


def _last_event(request: Request) -> UUID | None:
    told = request.headers.get("Last-Event-ID", "")
    try:
        return UUID(told) if told else None
    except ValueError:
        raise InvalidInput.of("Last-Event-ID", "is not the ID of a message") from None
