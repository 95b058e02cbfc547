from uuid import UUID

from django.db import models

from relationships.models import QueuedOwnedQuerySet, RelationshipOwned
from worker.models import QueuedRow


class SessionState(models.TextChoices):
    HYDRATING = "hydrating"  # what is known is brought into the tree
    RUNNING = "running"
    CURATING = "curating"  # hot context is written anew
    MERGING = "merging"
    DONE = "done"
    FAILED = "failed"  # at `stage`, which can be tried again
    NEEDS_REVIEW = "needs_review"  # merged, and a person has something to decide
    ABANDONED = "abandoned"  # nobody gave a sign of it; its branch stays and can still be merged


class Worker(models.TextChoices):
    BUILT_IN = "built_in"  # the companion's model, in our worker
    EXTERNAL = "external"  # somebody's own sandbox, by git or REST


OPEN = (SessionState.HYDRATING, SessionState.RUNNING, SessionState.CURATING, SessionState.MERGING)


def branch_of(session_id: UUID) -> str:
    """The name of the branch that it works on."""
    return f"session/{session_id}"


class AgentSession(RelationshipOwned, QueuedRow):
    """An agent's work at one task, on a branch of its own.

    `start` holds what was there when it began: {"hot_context", "profile": versions, "agents_md": SHA-256}.
    `hot_seen`: the version of hot context that the last curation has read. `stop`: the loop is to end.
    """

    state = models.CharField(max_length=12, choices=SessionState.choices, default=SessionState.HYDRATING)
    stage = models.CharField(max_length=12, blank=True)  # of a failed one: where
    worker = models.CharField(max_length=10, choices=Worker.choices)
    task = models.TextField()
    branch = models.CharField(max_length=120)
    start = models.JSONField(default=dict)
    base_id = models.UUIDField(null=True)  # main's commit it began from
    merged_id = models.UUIDField(null=True)  # main's commit it became
    hot_seen = models.PositiveIntegerField(default=0)
    summary = models.TextField(blank=True)
    facts = models.JSONField(default=list)  # sentences for memory
    turn_id = models.UUIDField(null=True)  # the turn that hands them over
    token_id = models.UUIDField(null=True)  # opens its relationship while it lasts
    steps = models.PositiveIntegerField(default=0)
    tokens = models.PositiveBigIntegerField(default=0)
    curations = models.PositiveIntegerField(default=0)
    paused = models.BooleanField(default=False)
    stop = models.BooleanField(default=False)
    error = models.TextField(blank=True)
    actor_kind = models.CharField(max_length=20)
    actor_id = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    running_at = models.DateTimeField(null=True)
    seen_at = models.DateTimeField()  # its last sign of life
    ended_at = models.DateTimeField(null=True)

    objects = QueuedOwnedQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=SessionState.values), name="%(class)s_known_state"
            ),
            models.CheckConstraint(
                condition=models.Q(worker__in=Worker.values), name="%(class)s_known_worker"
            ),
        ]
        indexes = [
            # a relationship's list, newest first
            models.Index(fields=["relationship", "-created_at"], name="agentsession_newest"),
            # the sweep: what is owed
            models.Index(
                fields=["due_at"], condition=models.Q(due_at__isnull=False), name="agentsession_owed"
            ),
            # the sweep: what somebody holds
            models.Index(
                fields=["lease_until"],
                condition=models.Q(lease_token__isnull=False),
                name="agentsession_leased",
            ),
            # the sweep: sessions that nobody gives a sign of
            models.Index(fields=["seen_at"], condition=models.Q(state="running"), name="agentsession_silent"),
        ]
