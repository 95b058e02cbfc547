from django.db import models

from relationships.models import OwnedQuerySet, RelationshipOwned


class StepState(models.TextChoices):
    DONE = "done"
    FAILED = "failed"  # the tool refused; the agent was told
    STARTED = "started"  # a network call without an answer yet
    WAITING = "waiting"  # for a person's approval
    APPROVED = "approved"  # but not called yet
    DENIED = "denied"


class AgentStep(RelationshipOwned):
    """One thing that an agent did: the tool it called, and the result. Its reasoning is not kept."""

    session_id = models.UUIDField()
    number = models.PositiveIntegerField()
    tool = models.CharField(max_length=80)
    arguments = models.JSONField(default=dict)
    result = models.TextField(blank=True)
    state = models.CharField(max_length=10, choices=StepState.choices, default=StepState.DONE)
    commit_id = models.UUIDField(null=True)
    model = models.CharField(max_length=120, blank=True)  # the model that asked for the call
    tokens = models.PositiveIntegerField(default=0)
    status = models.PositiveIntegerField(null=True)  # HTTP status of a network call
    milliseconds = models.FloatField(default=0)
    # sessions.asking.forgettings before the model was asked; the step may quote what was forgotten later
    forgettings = models.BigIntegerField(default=0, db_default=0)
    decided_by = models.CharField(max_length=240, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = OwnedQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["relationship", "session_id", "number"], name="%(class)s_number_once"
            )
        ]
