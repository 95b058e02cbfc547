from typing import Self
from uuid import UUID

from django.db import models

from behaviours.models.run import BehaviourRun
from memory.mending.forgotten import Forgotten
from relationships.models.owned import OwnedQuerySet, RelationshipOwned


class OutboxQuerySet(OwnedQuerySet):
    def waiting(self) -> Self:
        """Messages that were not acknowledged yet, oldest first."""
        return self.filter(acknowledged_at=None, redacted_at=None).order_by("id")

    def without_hidden(self, relationship_id: UUID) -> Self:
        """Without messages that rest on a hidden message of their turn, those that quote a forgotten entry, and waiting
        ones that quote a dated entry as it no longer is.
        """
        forgotten = Forgotten.of(relationship_id)
        runs = BehaviourRun.objects.for_relationship(relationship_id)
        waiting = self.filter(acknowledged_at=None, redacted_at=None)
        changed = runs.filter(id__in=waiting.values("run_id")).quoting_changed(relationship_id)
        resting = models.Q(turn_id__in=forgotten.said_in) | models.Q(
            turn_id__in=forgotten.turns, rests_on_reply=True
        )
        known = self.exclude(resting).exclude(run_id__in=runs.quoting_forgotten(forgotten))
        return known.exclude(run_id__in=changed, acknowledged_at=None)


class OutboxMessage(RelationshipOwned):
    """A behaviour's message to the person. It waits until the developer's application acknowledges it."""

    run_id = models.UUIDField()
    behaviour = models.CharField(max_length=60)
    turn_id = models.UUIDField(null=True)
    rests_on_reply = models.BooleanField(default=True, db_default=True)  # its template may quote the reply
    content = models.TextField(blank=True)
    recorded_at = models.DateTimeField(auto_now_add=True)
    acknowledged_at = models.DateTimeField(null=True)
    redacted_at = models.DateTimeField(null=True)

    objects = OutboxQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["relationship", "run_id"], name="outbox_once_a_run"),
            models.CheckConstraint(
                condition=models.Q(redacted_at=None) | models.Q(content=""), name="outbox_redacted_is_empty"
            ),
        ]
