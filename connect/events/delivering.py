"""Delivers events to a webhook, one after the other, each until it is accepted.

The place moves on after each moment. So if a worker dies, at most the events of one moment are delivered twice, with
the same IDs.
"""

from datetime import datetime
from time import monotonic
from typing import Any
from uuid import UUID

import orjson
import structlog
from django.db import transaction
from django.utils import timezone

from behaviours.webhooks import post_signed
from config.postgresql.sessions import database_went_away
from connect.events.owed import TASK
from connect.events.reading import (
    SETTLING,
    Happening,
    Place,
    happened_after,
    has_changed_since,
    is_more_to_tell,
)
from connect.models import DeliveryState, EventDelivery
from relationships.configuration.schema import Configuration
from relationships.models import Relationship
from relationships.services.configuration import configuration_of
from worker.enqueue import enqueue_task
from worker.failures import Failure
from worker.fairness import gives_way
from worker.identity import worker_identity
from worker.leases import GIVEN_UP, keeping
from worker.owed_rows import OwedRows
from worker.readers import task
from worker.worker_stats import stop_requested

log = structlog.get_logger(__name__)

AT_ONCE = 50
LOOK_AGAIN = 2 * SETTLING  # delay while some events have not settled


class Lost(Exception):
    """This worker no longer holds the delivery: it was taken over, replayed or erased."""


def deliver_events(*, relationship_id: UUID, worker: str) -> None:
    """Deliver what is owed, then rest until something happens; or leave the rest to another task, after a moment."""
    rows = EventDelivery.objects.for_relationship(relationship_id)
    delivery = rows.claim_one(worker=worker)
    if delivery is None:
        return
    held = delivery.held_row()
    with keeping(delivery):
        try:
            _deliver(delivery, held)
        except Lost:
            pass
        except Exception as error:
            if database_went_away(error):
                raise  # `keeping` gives the delivery back
            _give_back(delivery, held, Failure.of(error, attempts=delivery.attempts))


def _deliver(delivery: EventDelivery, held: Any) -> None:
    relationship = Relationship.objects.select_related("companion", "project", "user").get(
        id=delivery.relationship_id
    )
    configuration = configuration_of(relationship).values
    webhook = configuration.events.webhook
    place = Place(delivery.seq, delivery.at)
    told: list[Happening] | None = None
    began = monotonic()
    while webhook.url and told != []:
        told, after = happened_after(relationship.id, place, now=timezone.now())
        wanted = [one for one in told if not webhook.types or one.type in webhook.types]
        for one in wanted:
            _post(configuration, relationship, one)
            values: dict[str, Any] = {"delivered_at": timezone.now()}
            moved_on = one.id != str(place)
            if moved_on:
                place = Place.parse(one.id)
                delivery.attempts = 0
                values |= {"attempts": 0, "error": "", "error_code": ""}
            _move(held, place, **values)
            if moved_on and (stop_requested() or gives_way(began)):
                _leave_the_rest(delivery, held)
                return
        _move(held, after)
        place = after
        if told and (stop_requested() or gives_way(began)):
            _leave_the_rest(delivery, held)
            return
    _rest(held, timezone.now(), delivers=bool(webhook.url))


def _post(configuration: Configuration, relationship: Relationship, one: Happening) -> None:
    """Call the webhook with one event. Raises WebhookFailed, HeldBack."""
    owner = {
        "relationship": relationship.id,
        "companion": relationship.companion.slug,
        "user": relationship.user.external_id,
    }
    said = {"type": one.type, "timestamp": one.at, "id": one.id, "data": {**one.data, **owner}}
    webhook = configuration.events.webhook
    post_signed(
        webhook.url,
        project_id=relationship.project_id,
        companion_id=relationship.companion_id,
        secrets=configuration.webhooks.secrets,
        webhook_id=f"{relationship.id}:{one.key}",
        body=orjson.dumps(said, option=orjson.OPT_UTC_Z),
        seconds=webhook.timeout_seconds,
    )


def _move(held: Any, place: Place, **values: Any) -> None:
    if not held.update(seq=place.seq, at=place.at, **values):
        raise Lost


@transaction.atomic
def _leave_the_rest(delivery: EventDelivery, held: Any) -> None:
    if not held.release(due_at=timezone.now()):
        raise Lost
    enqueue_task(TASK, delivery.relationship_id, project_id=delivery.project_id)


@transaction.atomic
def _rest(held: Any, now: datetime, *, delivers: bool) -> None:
    """Release the delivery: due again only if something was not delivered yet. Later events wait for the row's lock,
    and then make it due. A change of an entry that came just before found the row held: its task did nothing.
    """
    row = held.select_for_update().first()
    if row is None:
        raise Lost
    place, due_at = Place(row.seq, row.at), None
    if delivers and has_changed_since(row.relationship_id, place):
        due_at = now
        enqueue_task(TASK, row.relationship_id, project_id=row.project_id)
    elif delivers and is_more_to_tell(row.relationship_id, place):
        due_at = now + LOOK_AGAIN
    held.release(due_at=due_at, attempts=0, error="", error_code="")


def _give_back(delivery: EventDelivery, held: Any, failure: Failure) -> None:
    log.warning(
        "a webhook delivery failed",
        event_name="events.delivery.failed",
        code=failure.code,
        waits=failure.delay,
        relationship_id=str(delivery.relationship_id),
    )
    failure.end(held, failed={"state": DeliveryState.FAILED})


def _give_up(delivery: EventDelivery) -> None:
    rows = EventDelivery.objects.for_relationship(delivery.relationship_id)
    rows.settle(state=DeliveryState.FAILED, error=GIVEN_UP)


deliver_owed = OwedRows(model=EventDelivery, task=TASK, give_up=_give_up, most=AT_ONCE)


@task
def deliver(relationship_id: UUID) -> None:
    """Deliver the relationship's events to the companion's webhook."""
    deliver_events(relationship_id=relationship_id, worker=worker_identity())
