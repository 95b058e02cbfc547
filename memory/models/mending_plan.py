from typing import Self

from django.db import models

from relationships.models import OwnedQuerySet, RelationshipOwned


class MendingVerb(models.TextChoices):
    FORGET = "forget"
    CORRECT = "correct"


class MendingState(models.TextChoices):
    PROPOSED = "proposed"  # nothing is changed yet
    CARRIED_OUT = "carried_out"
    UNDONE = "undone"
    ERASED = "erased"  # carried out for good
    DECLINED = "declined"  # a person kept it all


class MendingPlanQuerySet(OwnedQuerySet):
    def awaiting_review(self) -> Self:
        """Unclear plans from conversations, which wait until a person decides."""
        return self.filter(state=MendingState.PROPOSED, turn_id__isnull=False)


class MendingPlan(RelationshipOwned):
    """What a wish to forget or to correct would change, item by item, and its outcome.

    While it is proposed it quotes what should go. Once it is carried out it has only IDs, so that nothing forgotten
    stays in it. `items`: see memory.mending.plans.
    """

    verb = models.CharField(max_length=10, choices=MendingVerb.choices)
    depth = models.CharField(max_length=10, default="hide")
    state = models.CharField(max_length=12, choices=MendingState.choices, default=MendingState.PROPOSED)
    what = models.TextField(blank=True)
    to = models.TextField(blank=True)
    items = models.JSONField(default=list)
    left_out = models.PositiveIntegerField(default=0)  # texts that were not read, as there were too many
    judged_by = models.CharField(max_length=120, blank=True)  # a model's name; empty: rules
    turn_id = models.UUIDField(null=True)  # the turn that asked for it
    actor_kind = models.CharField(max_length=10)
    actor_id = models.CharField(max_length=200, blank=True)
    recorded_at = models.DateTimeField(auto_now_add=True)
    carried_out_at = models.DateTimeField(null=True)

    objects = MendingPlanQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(verb__in=MendingVerb.values), name="mending_plan_known_verb"
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=MendingState.values), name="mending_plan_known_state"
            ),
            models.CheckConstraint(
                condition=models.Q(state="proposed") | models.Q(what="", to=""),
                name="mending_plan_done_is_empty",
            ),
        ]
        indexes = [
            models.Index(fields=["relationship", "-recorded_at"], name="mending_plan_recent"),
            # what waits for a person, and proposals that nobody carried out
            models.Index(
                fields=["project_id", "recorded_at"],
                condition=models.Q(state="proposed"),
                name="mending_plan_waiting",
            ),
        ]
