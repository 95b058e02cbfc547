from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import BrinIndex
from django.db import models

from config import tracing
from relationships.models.owned import QueuedOwnedQuerySet, RelationshipOwned
from relationships.models.session_state import DEFAULT_SESSION
from worker.models.queued import QueuedRow


class TurnState(models.TextChoices):
    PENDING = "pending"  # waits for a worker, for its trigger (due_at null) or for its retry (due_at ahead)
    PROCESSING = "processing"  # a worker holds it, by lease
    APPLIED = "applied"
    SKIPPED = "skipped"  # by the configuration; `error` says why
    FAILED = "failed"  # permanently, until an operator retries it; `error` says why


class Turn(QueuedRow, RelationshipOwned):
    """The messages of one exchange, and the state of their processing. This row is the queue.

    A pending turn without a `due_at` waits for its trigger.
    """

    WAITING = {"state": TurnState.PENDING}
    HELD = {"state": TurnState.PROCESSING}

    seq = models.BigIntegerField()
    session = models.CharField(max_length=200, default=DEFAULT_SESSION)
    occurred_at = models.DateTimeField()  # effective time: when it was said
    recorded_at = models.DateTimeField(auto_now_add=True)
    config = models.JSONField(default=dict, blank=True)  # the cascade's highest level, for this turn only
    # The developer's own taxonomy, and how it was said. Entries made from the turn carry the same.
    tags = models.JSONField(default=dict)  # up to 12 name=value pairs
    category = models.CharField(max_length=60, blank=True)
    modality = models.CharField(max_length=20, default="text")
    # The reply broke off: its message is what the person had seen of it.
    interrupted = models.BooleanField(default=False, db_default=False)
    state = models.CharField(max_length=12, choices=TurnState.choices, default=TurnState.PENDING)
    waits_for = models.CharField(max_length=20, blank=True)  # the trigger's mode, while due_at is null
    claimed_at = models.DateTimeField(null=True)
    settled_at = models.DateTimeField(null=True)
    error = models.TextField(blank=True)
    # From its first failed attempt until it is settled; and the alias of the provider that failed. No provider: the
    # cause is the project's own, such as a spent budget or a model that its configuration names.
    waiting_since = models.DateTimeField(null=True)
    waits_on = models.CharField(max_length=60, blank=True, default="", db_default="")
    prompt_version = models.PositiveIntegerField(null=True)
    model_call_ids = ArrayField(models.UUIDField(), default=list)
    # Of the request that sent the turn, if it was traced: whoever processes the turn continues that trace.
    traceparent = models.CharField(max_length=55, null=True, default=tracing.traceparent)

    objects = QueuedOwnedQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["relationship", "seq"], name="%(class)s_seq_once"),
            models.CheckConstraint(
                condition=models.Q(state__in=TurnState.values), name="%(class)s_known_state"
            ),
            models.CheckConstraint(
                condition=models.Q(
                    state=TurnState.PROCESSING, lease_token__isnull=False, lease_until__isnull=False
                )
                | (~models.Q(state=TurnState.PROCESSING) & models.Q(lease_token=None, lease_until=None)),
                name="%(class)s_lease_while_processing",
            ),
        ]
        indexes = [
            # turns received since a time: rows are stored in that order, so a block range index is tiny
            BrinIndex(fields=["recorded_at"], name="turn_by_time"),
            BrinIndex(fields=["occurred_at"], name="turn_by_time_said"),
            # a conversation since a date, its sessions, and when it began
            models.Index(fields=["relationship", "occurred_at"], include=["session"], name="turn_when_said"),
            # claiming: the open turns of one relationship, in order
            models.Index(
                fields=["relationship", "seq"],
                condition=models.Q(state__in=["pending", "processing"]),
                name="turn_open",
            ),
            # /readyz/worker and /metrics: what is due or leased, oldest first
            models.Index(fields=["due_at"], condition=models.Q(state="pending"), name="turn_due"),
            # the sweep: what is due, project by project
            models.Index(
                fields=["project_id", "due_at", "relationship"],
                condition=models.Q(state="pending", due_at__isnull=False),
                name="turn_due_in_project",
            ),
            models.Index(fields=["lease_until"], condition=models.Q(state="processing"), name="turn_leased"),
            # events: the failed turns of one relationship after a time
            models.Index(
                fields=["relationship", "settled_at"], condition=models.Q(state="failed"), name="turn_failed"
            ),
            # /readyz/worker and /metrics: what has failed so far, by what it waits for and project, longest first
            models.Index(
                fields=["waits_on", "project_id", "waiting_since"],
                condition=models.Q(state__in=["pending", "processing"], waiting_since__isnull=False),
                name="turn_waiting_in_project",
            ),
            # a project's turns, newest first: all of them, and those that were not processed
            models.Index(
                fields=["project_id", "-recorded_at", "-id"], include=["state"], name="turn_by_project"
            ),
            models.Index(
                fields=["project_id", "state", "-recorded_at"],
                condition=models.Q(state__in=["failed", "skipped"]),
                name="turn_not_read",
            ),
        ]
