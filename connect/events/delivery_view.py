"""Up to which event a relationship's events were sent to the companion's webhook, and sending them again."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from pydantic import StringConstraints
from rest_framework.request import Request
from rest_framework.response import Response

from connect.events.owed import owe_delivery
from connect.events.reading import PLACE, Place
from connect.models import DeliveryState, EventDelivery
from relationships.api.views import ApiView
from relationships.services.configuration import configuration_of
from relationships.services.rows import require, require_lock
from web.errors import Conflict
from web.fields import Answer, Body
from web.operations import operation

TAG = "Events"


class ReplayBody(Body):
    after: Annotated[str, StringConstraints(pattern=PLACE)] | None = None
    """The `id` of an event: all that came after it is told again; `0-0`: all. Left out: what was given up."""


class DeliveryAnswer(Answer):
    state: Literal["waiting", "working", "failed"]
    after: str
    """The last event that was told, or passed over; the `after` of a list of those that are not told yet."""
    due_at: datetime | None
    """When it goes on; null: all is told, or it was given up."""
    attempts: int
    """In vain, at the event that is next."""
    error_code: str
    error: str
    delivered_at: datetime | None


class DeliveryView(ApiView):
    @operation("events_delivery", "Read how far the webhook has been told", answers={200: DeliveryAnswer})
    def get(self, request: Request, relationship_id: UUID) -> Response:
        """404: nothing has happened yet since the companion has a webhook."""
        self.get_relationship(relationship_id)
        return self.answer(_present(relationship_id))


class ReplayView(ApiView):
    @operation(
        "events_replay",
        "Tell the webhook again",
        body_optional=True,
        answers={202: DeliveryAnswer},
        problems=(409,),
    )
    def post(self, request: Request, relationship_id: UUID, body: ReplayBody) -> Response:
        """Each under the ID that it had the first time. A delivery that was given up goes on."""
        relationship = self.get_relationship(relationship_id, "companion", "project")
        if not configuration_of(relationship).values.events.webhook.url:
            raise Conflict("The companion has no webhook for its events; set events.webhook.url.")
        place = Place.parse(body.after) if body.after else None
        with transaction.atomic():
            require_lock(relationship_id)
            EventDelivery.objects.for_relationship(relationship_id).settle(
                state=DeliveryState.WAITING, attempts=0, error="", error_code=""
            )
            owe_delivery(relationship_id, relationship.project_id, now=timezone.now(), after=place)
        return self.answer(_present(relationship_id), status=202)


def _present(relationship_id: UUID) -> dict[str, Any]:
    """Raises NotFound."""
    row = require(EventDelivery.objects.for_relationship(relationship_id), "delivery")
    columns = ("state", "due_at", "attempts", "error_code", "error", "delivered_at")
    return {"after": str(Place(row.seq, row.at)), **{name: getattr(row, name) for name in columns}}
