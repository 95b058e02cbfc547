from django.db import models

from relationships.models.owned import QueuedOwnedQuerySet, RelationshipOwned
from worker.models.queued import QueuedRow


class DeliveryState(models.TextChoices):
    WAITING = "waiting"  # due_at null: all is told
    WORKING = "working"  # a worker holds it, by lease
    FAILED = "failed"  # given up at the event after `seq` and `at`, until somebody replays


class EventDelivery(QueuedRow, RelationshipOwned):
    """How far a relationship's events have been told to the companion's webhook. The events themselves are the rows."""

    WAITING = {"state": DeliveryState.WAITING}
    HELD = {"state": DeliveryState.WORKING}

    state = models.CharField(max_length=10, choices=DeliveryState.choices, default=DeliveryState.WAITING)
    seq = models.BigIntegerField()  # connect.events.reading.Place
    at = models.DateTimeField()
    error = models.TextField(blank=True)  # of the last try in vain
    delivered_at = models.DateTimeField(null=True)

    objects = QueuedOwnedQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["relationship"], name="event_delivery_once"),
            models.CheckConstraint(
                condition=models.Q(state__in=DeliveryState.values), name="event_delivery_known_state"
            ),
        ]
        indexes = [
            # the sweep: what is owed, in any relationship
            models.Index(
                fields=["due_at"],
                condition=models.Q(state__in=["waiting", "working"], due_at__isnull=False),
                name="event_delivery_owed",
            ),
            # the sweep: what somebody holds
            models.Index(
                fields=["lease_until"],
                condition=models.Q(lease_token__isnull=False),
                name="event_delivery_leased",
            ),
        ]
