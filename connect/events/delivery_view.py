"""Shows how far a relationship's events were delivered to the companion's webhook, and delivers them again."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from connect.events.owed import AT_REST, continue_failed, owe_delivery
from connect.events.reading import After, Place
from connect.models import DeliveryState, EventDelivery
from relationships.api.views import ApiView
from relationships.services.configuration import configuration_of
from relationships.services.rows import require, require_lock
from web.errors import Conflict
from web.fields import Answer, Body, Page, PageQuery
from web.operations import operation

TAG = "Events"


class ReplayBody(Body):
    after: After | None = None
    """The `id` of an event: deliver all later ones again; `0-0`: all. Left out: continue a delivery
    that was given up.
    """


class DeliveryAnswer(Answer):
    state: Literal["waiting", "working", "failed"]
    after: str
    """The last event that was delivered or skipped. Use it as `after` to list the remaining events."""
    due_at: datetime | None
    """When it continues; null: everything is delivered, or it was given up."""
    attempts: int
    """Failed attempts at the next event."""
    error_code: str
    error: str
    delivered_at: datetime | None


class FailedDeliveryAnswer(Answer):
    relationship: UUID
    after: str
    """The last event that was delivered or skipped."""
    error_code: str
    error: str
    delivered_at: datetime | None


class ReplayedAnswer(Answer):
    replayed: int
    """Relationships whose delivery continues."""


class FailedDeliveriesView(ApiView):
    @operation(
        "events_failed", "List deliveries that were given up", answers={200: Page[FailedDeliveryAnswer]}
    )
    def get(self, request: Request, query: PageQuery) -> Response:
        """Of the whole project. Nothing more is delivered of these relationships until a replay."""
        rows = EventDelivery.objects.filter(project_id=self.project_id, state=DeliveryState.FAILED)
        return self.page(rows, _present_failed, order=["relationship_id"], query=query)


class ReplayFailedView(ApiView):
    @operation(
        "events_replay_failed", "Continue deliveries that were given up", answers={202: ReplayedAnswer}
    )
    def post(self, request: Request) -> Response:
        """Of the whole project, within some seconds. Events keep their IDs."""
        return self.answer({"replayed": continue_failed(self.project_id)}, status=202)


class DeliveryView(ApiView):
    @operation("events_delivery", "Read how far events were delivered", answers={200: DeliveryAnswer})
    def get(self, request: Request, relationship_id: UUID) -> Response:
        """404: no event yet since the webhook was set."""
        self.get_relationship(relationship_id)
        return self.answer(_present(relationship_id))


class ReplayView(ApiView):
    @operation(
        "events_replay",
        "Deliver events again",
        body_optional=True,
        answers={202: DeliveryAnswer},
        problems=(409,),
    )
    def post(self, request: Request, relationship_id: UUID, body: ReplayBody) -> Response:
        """Events keep their IDs. A delivery that was given up continues."""
        relationship = self.get_relationship(relationship_id, "companion", "project")
        if not configuration_of(relationship).values.events.webhook.url:
            raise Conflict("The companion has no webhook for its events; set events.webhook.url.")
        place, now = None, timezone.now()
        if body.after:
            place = Place.reached(body.after, last_seq=relationship.last_seq, now=now)
        with transaction.atomic():
            require_lock(relationship_id)
            EventDelivery.objects.for_relationship(relationship_id).settle(**AT_REST)
            owe_delivery(relationship_id, relationship.project_id, now=now, after=place)
        return self.answer(_present(relationship_id), status=202)


def _present(relationship_id: UUID) -> dict[str, Any]:
    """The state of the delivery. Raises NotFound."""
    row = require(EventDelivery.objects.for_relationship(relationship_id), "delivery")
    return DeliveryAnswer.of(row, after=str(Place(row.seq, row.at)))


def _present_failed(row: EventDelivery) -> dict[str, Any]:
    return FailedDeliveryAnswer.of(row, after=str(Place(row.seq, row.at)), relationship=row.relationship_id)
