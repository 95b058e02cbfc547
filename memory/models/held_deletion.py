from typing import Self

from django.db import models
from django.db.models import Func, Sum
from django.db.models.functions import Coalesce

from relationships.models import OwnedQuerySet, RelationshipOwned


class HeldState(models.TextChoices):
    WAITING = "waiting"
    CONFIRMED = "confirmed"
    DECLINED = "declined"


# How many deletions some rows hold.
DELETIONS = Sum(Func("deletions", function="jsonb_array_length", output_field=models.IntegerField()))


class HeldDeletionQuerySet(OwnedQuerySet):
    def waiting(self) -> Self:
        return self.filter(state=HeldState.WAITING)

    def count_deletions(self) -> int:
        """Of all these rows together."""
        counted: int = self.aggregate(count=Coalesce(DELETIONS, 0))["count"]
        return counted


class HeldDeletion(RelationshipOwned):
    """Deletions of one answer that were too many at once: they wait for a person, and are never dropped.

    `deletions` is a list of {entry_id, entry_version, reason, message_ids, turn_id}.
    """

    turn_id = models.UUIDField()
    deletions = models.JSONField()
    state = models.CharField(max_length=10, choices=HeldState.choices, default=HeldState.WAITING)
    decided_by_kind = models.CharField(max_length=20, blank=True)
    decided_by_id = models.CharField(max_length=200, blank=True)
    decided_at = models.DateTimeField(null=True)
    recorded_at = models.DateTimeField(auto_now_add=True)

    objects = HeldDeletionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(state__in=HeldState.values), name="held_known_state")
        ]
        indexes = [
            # what waits for a person, per relationship and per project
            models.Index(fields=["relationship", "-recorded_at"], name="held_of_relationship"),
            models.Index(
                fields=["project_id", "-recorded_at"],
                condition=models.Q(state="waiting"),
                name="held_waiting",
            ),
        ]
