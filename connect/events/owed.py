"""Makes a delivery due when something happens in a relationship whose companion has a webhook for events.

Checking for a webhook mostly needs no statement. The row is written in the transaction of what happened.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Case, F, Value, When
from django.utils import timezone

from connect.events.reading import Place, present_place
from connect.models import DeliveryState, EventDelivery
from memory.entries.history import ChangedEntries
from memory.ingestion.intake import StoredTurn
from relationships.models import Relationship
from worker.enqueue import enqueue_task

TASK = "connect.events.delivering.deliver"
CONTINUED_AT_ONCE = 1000  # deliveries by one statement
AT_REST: dict[str, Any] = {"state": DeliveryState.WAITING, "attempts": 0, "error": "", "error_code": ""}


def owe_after_turn(stored: StoredTurn) -> None:
    if stored.configuration.events.webhook.url:
        turn = stored.turn
        owe_delivery(turn.relationship_id, turn.project_id, now=stored.now)


def owe_after_change(changed: ChangedEntries) -> None:
    if _has_webhook(changed.levels):
        owe_delivery(changed.relationship_id, changed.project_id, now=changed.now, first=changed.first)


def owe_after_session(relationship: Relationship, now: datetime) -> None:
    owe_after_outcome(relationship.id, relationship.project_id, now)


def owe_after_outcome(relationship_id: UUID, project_id: UUID, now: datetime) -> None:
    """For callers without a configuration, which may itself be what failed. If no delivery exists yet, the levels of
    the configuration are read.
    """
    if _wake(relationship_id, now):
        enqueue_task(TASK, relationship_id, project_id=project_id)
        return
    levels = Relationship.objects.values_list("project__config", "companion__config", "config")
    if _has_webhook(levels.get(id=relationship_id)):
        owe_delivery(relationship_id, project_id, now=now)


def owe_delivery(
    relationship_id: UUID,
    project_id: UUID,
    *,
    now: datetime,
    after: Place | None = None,
    first: int | None = None,
) -> None:
    """Make the delivery due, from `after`, or else from its place. A new one starts now, including the revisions from
    number `first`. Under the relationship's row lock.
    """
    rows = EventDelivery.objects.for_relationship(relationship_id)
    if after is not None:
        rows.update(seq=after.seq, at=after.at)
    if not _wake(relationship_id, now):
        place = after or present_place(relationship_id, now=now)
        if first is not None:
            place = Place(first - 1, place.at)
        EventDelivery.objects.create(
            relationship_id=relationship_id,
            project_id=project_id,
            seq=place.seq,
            at=place.at,
            due_at=now,
        )
    enqueue_task(TASK, relationship_id, project_id=project_id)


def continue_failed(project_id: UUID) -> int:
    """Make the project's deliveries that were given up due again; the sweep enqueues them. Each is visited once, as it
    may be given up again at once. Returns how many.
    """
    failed = EventDelivery.objects.filter(project_id=project_id, state=DeliveryState.FAILED)
    places = failed.order_by("relationship_id").values_list("relationship_id", flat=True)
    continued = 0
    ids = list(places[:CONTINUED_AT_ONCE])
    while ids:
        continued += failed.filter(relationship_id__in=ids).settle(**AT_REST, due_at=timezone.now())
        ids = list(places.filter(relationship_id__gt=ids[-1])[:CONTINUED_AT_ONCE])
    return continued


def _wake(relationship_id: UUID, now: datetime) -> int:
    """Make a resting delivery due. One that is being retried, worked on or given up stays unchanged.
    Returns how many.
    """
    at_rest = When(state=DeliveryState.WAITING, attempts=0, then=Value(now))
    woken: int = EventDelivery.objects.for_relationship(relationship_id).update(
        due_at=Case(at_rest, default=F("due_at"))
    )
    return woken


def _has_webhook(levels: Sequence[Mapping[str, Any]]) -> bool:
    """Resolve the webhook's URL as the cascade would: the last level that sets it wins."""
    given = [((level.get("events") or {}).get("webhook") or {}) for level in levels]
    return bool(next((one["url"] for one in reversed(given) if "url" in one), None))
