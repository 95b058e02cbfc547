from django.db import models

from relationships.models.owned import QueuedOwnedQuerySet, RelationshipOwned
from worker.models.queued import QueuedRow


class DeliveryState(models.TextChoices):
    WAITING = "waiting"  # without due_at: everything is delivered
    WORKING = "working"  # a worker holds a lease
    FAILED = "failed"  # given up at the event after `seq` and `at`, until a replay


class EventDelivery(QueuedRow, RelationshipOwned):
    """How far a relationship's events were delivered to the companion's webhook. The events themselves
    are not stored.
    """

    WAITING = {"state": DeliveryState.WAITING}
    HELD = {"state": DeliveryState.WORKING}

    state = models.CharField(max_length=10, choices=DeliveryState.choices, default=DeliveryState.WAITING)
    seq = models.BigIntegerField()  # connect.events.reading.Place
    at = models.DateTimeField()
    error = models.TextField(blank=True)  # of the last failed attempt
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
            # /metrics: what was given up
            models.Index(
                fields=["project_id"], condition=models.Q(state="failed"), name="event_delivery_failed"
            ),
            # the sweep: what is leased
            models.Index(
                fields=["lease_until"],
                condition=models.Q(lease_token__isnull=False),
                name="event_delivery_leased",
            ),
        ]
