from uuid import UUID

from django.db import models

from relationships.models import OwnedQuerySet, QueuedOwnedQuerySet, RelationshipOwned
from worker.models import QueuedRow


class SessionState(models.TextChoices):
    HYDRATING = "hydrating"  # generated files are brought up to date, the branch is made
    RUNNING = "running"
    CURATING = "curating"  # hot context is rewritten
    MERGING = "merging"
    DONE = "done"
    FAILED = "failed"  # at `stage`; can be retried
    NEEDS_REVIEW = "needs_review"  # merged, but a person has something to decide
    ABANDONED = "abandoned"  # without a sign of life; its branch stays and can be merged


class Worker(models.TextChoices):
    BUILT_IN = "built_in"  # the companion's model, in Rapport's worker
    EXTERNAL = "external"  # the developer's sandbox, by git or REST


OPEN = (SessionState.HYDRATING, SessionState.RUNNING, SessionState.CURATING, SessionState.MERGING)
ENDING = (SessionState.CURATING, SessionState.MERGING)


def branch_of(session_id: UUID) -> str:
    """The name of a session's branch."""
    return f"session/{session_id}"


class AgentSession(RelationshipOwned, QueuedRow):
    """An agent's work at one task, on a branch of its own.

    `start`: the versions of "hot_context" and "profile" when it began.
    `hot_seen`: the version of hot context that the last curation read. `stop`: the loop has to end.
    """

    FAILED_AT = "ended_at"

    state = models.CharField(max_length=12, choices=SessionState.choices, default=SessionState.HYDRATING)
    stage = models.CharField(max_length=12, blank=True)  # where a failed one failed
    worker = models.CharField(max_length=10, choices=Worker.choices)
    task = models.TextField()
    branch = models.CharField(max_length=120)
    start = models.JSONField(default=dict)
    base_id = models.UUIDField(null=True)  # main's commit when it began
    merged_id = models.UUIDField(null=True)  # main's merge commit
    hot_seen = models.PositiveIntegerField(default=0)
    summary = models.TextField(blank=True)
    facts = models.JSONField(default=list)  # sentences for memory
    turn_id = models.UUIDField(null=True)  # the turn that handed the facts to memory
    token_id = models.UUIDField(null=True)  # gives access to the relationship until the session ends
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
    seen_at = models.DateTimeField()  # the last sign of life
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
            # the sweep: what is leased
            models.Index(
                fields=["lease_until"],
                condition=models.Q(lease_token__isnull=False),
                name="agentsession_leased",
            ),
            # the sweep: sessions without a sign of life
            models.Index(fields=["seen_at"], condition=models.Q(state="running"), name="agentsession_silent"),
            # /metrics: sessions that failed
            models.Index(
                fields=["project_id", "ended_at"],
                condition=models.Q(state="failed"),
                name="agentsession_failed",
            ),
        ]


class StepState(models.TextChoices):
    DONE = "done"
    FAILED = "failed"  # the tool refused; the agent was told
    STARTED = "started"  # a network call without an answer yet
    WAITING = "waiting"  # for a person's approval
    APPROVED = "approved"  # or needs no approval, but was not called yet
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


class HeldChange(RelationshipOwned):
    """What a merge left to a person: a file of which both sides are kept, or an agent's change of the profile."""

    CONFLICT, PROFILE = "conflict", "profile"
    OPEN, ACCEPTED, DECLINED = "open", "accepted", "declined"

    session_id = models.UUIDField()
    kind = models.CharField(max_length=10)
    path = models.CharField(max_length=1024)
    kept_as = models.CharField(max_length=1100, blank=True)  # where the session's version is
    # the session deleted what main changed; false for a file that main deleted, and the session changed
    session_deleted = models.BooleanField(default=False, db_default=False)
    proposal = models.JSONField(null=True)  # the proposed profile
    base_version = models.PositiveIntegerField(null=True)  # version of the profile that it changes
    state = models.CharField(max_length=10, default=OPEN)
    decided_by = models.CharField(max_length=240, blank=True)
    decided_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = OwnedQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["relationship"], condition=models.Q(state="open"), name="heldchange_open")
        ]
