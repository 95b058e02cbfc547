from typing import Self

from django.db import models

from relationships.models import OwnedQuerySet, RelationshipOwned


class HeldState(models.TextChoices):
    WAITING = "waiting"
    CONFIRMED = "confirmed"
    DECLINED = "declined"


class HeldDeletionQuerySet(OwnedQuerySet):
    def waiting(self) -> Self:
        return self.filter(state=HeldState.WAITING)


class HeldDeletion(RelationshipOwned):
    """Deletions of one answer that were too many at once. They wait for review.

    The deletions are the rows of OperationResult with its ID as `held_id`.
    """

    turn_id = models.UUIDField()
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
            # for its foreign key: where a relationship is erased, each of its turns asks for those that it has
            models.Index(fields=["relationship", "turn_id"], name="held_of_turn"),
            # what waits for a person, per relationship and per project
            models.Index(fields=["relationship", "-recorded_at"], name="held_of_relationship"),
            models.Index(
                fields=["project_id", "-recorded_at"],
                condition=models.Q(state="waiting"),
                name="held_waiting",
            ),
        ]
