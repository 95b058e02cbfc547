from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from relationships.models import QueuedOwnedQuerySet, RelationshipOwned
from worker.models import QueuedRow


class ReplayState(models.TextChoices):
    PENDING = "pending"
    DONE = "done"
    FAILED = "failed"


class Replay(QueuedRow, RelationshipOwned):
    """A trial of an ingestion prompt over past turns or a pasted conversation, beside the published one.

    It changes no entry. This row is its queue and its progress. It is deleted after a week, and with any erasure in its
    relationship, as it quotes what was said.
    """

    FAILED_AT = "recorded_at"

    template = models.TextField()  # the draft
    turn_ids = ArrayField(models.UUIDField(), default=list)  # what is read; or, if it is empty:
    messages = models.JSONField(default=list)  # [{role, content}] of a pasted conversation
    present_entries = models.BooleanField(default=False)  # whether it starts from what is remembered now
    state = models.CharField(max_length=10, choices=ReplayState.choices, default=ReplayState.PENDING)
    results = models.JSONField(default=dict)  # {published, draft}: memory.ingestion.replays
    error = models.TextField(blank=True)
    requested_by = models.CharField(max_length=200, blank=True)
    recorded_at = models.DateTimeField(auto_now_add=True)

    objects = QueuedOwnedQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(state__in=ReplayState.values), name="replay_known_state")
        ]
        indexes = [
            # what is owed, by the sweep
            models.Index(fields=["due_at"], condition=Q(due_at__isnull=False), name="replay_owed"),
            # the sweep: what somebody holds
            models.Index(
                fields=["lease_until"], condition=Q(lease_token__isnull=False), name="replay_leased"
            ),
            # what is old enough to be deleted
            models.Index(fields=["recorded_at"], name="replay_by_age"),
        ]
