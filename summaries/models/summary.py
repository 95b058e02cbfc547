from typing import Any, Self

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Exists, OuterRef

from relationships.models.owned import QueuedOwnedQuerySet, RelationshipOwned
from worker.models.queued import QueuedRow


class SummaryState(models.TextChoices):
    PENDING = "pending"
    WORKING = "working"  # a worker holds a lease
    READY = "ready"
    FAILED = "failed"  # `error` says why
    # An entry that rests on a message it covers was deleted; a later version leaves that message out.
    HIDDEN = "hidden"
    ERASED = "erased"  # a message it covered was erased; a later version is made from what is left


OPEN = (SummaryState.PENDING, SummaryState.WORKING)


class SummaryQuerySet(QueuedOwnedQuerySet):  # type: ignore[override]  # as_manager, which none overrides
    def open(self) -> Self:
        return self.filter(state__in=OPEN)

    def ready(self) -> Self:
        return self.filter(state=SummaryState.READY)

    def newest_first(self) -> Self:
        return self.order_by("-messages", "-version")

    def next_in_line(self) -> Self:
        """Summaries that don't have to wait for an open one of fewer messages, which they would extend."""
        earlier = Summary.objects.filter(
            relationship_id=OuterRef("relationship_id"), messages__lt=OuterRef("messages"), state__in=OPEN
        )
        return self.filter(~Exists(earlier)).order_by("messages", "version")


class Summary(QueuedRow, RelationshipOwned):
    """One version of the summary of a relationship's first `messages` messages. A text is written once."""

    WAITING = {"state": SummaryState.PENDING}
    HELD = {"state": SummaryState.WORKING}
    FAILED_AT = "recorded_at"

    messages = models.PositiveIntegerField()  # how many, from the first
    version = models.PositiveIntegerField(default=1)  # among summaries of the same number of messages
    first_seq = models.BigIntegerField()  # of the covered messages
    last_seq = models.BigIntegerField()
    state = models.CharField(max_length=12, choices=SummaryState.choices, default=SummaryState.PENDING)
    text = models.TextField(blank=True)
    extends = models.UUIDField(null=True)  # the summary of fewer messages that it extends
    model_call_ids = ArrayField(models.UUIDField(), default=list)  # failed ones too
    actor_kind = models.CharField(max_length=20)  # who asked for it or wrote it
    actor_id = models.CharField(max_length=200, blank=True)
    error = models.TextField(blank=True)
    recorded_at = models.DateTimeField(auto_now_add=True)
    made_at = models.DateTimeField(null=True)
    erased_at = models.DateTimeField(null=True)

    objects = SummaryQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["relationship", "messages", "version"], name="summary_version_once"
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=SummaryState.values), name="summary_known_state"
            ),
            models.CheckConstraint(
                condition=models.Q(erased_at=None) | models.Q(text="", error=""),
                name="summary_erased_is_empty",
            ),
        ]
        indexes = [
            # the sweep: what is owed, in any relationship
            models.Index(
                fields=["due_at"], condition=models.Q(state__in=["pending", "working"]), name="summary_owed"
            ),
            # /metrics: summaries that were given up
            models.Index(
                fields=["project_id", "recorded_at"],
                condition=models.Q(state="failed"),
                name="summary_failed",
            ),
        ]

    @property
    def place(self) -> dict[str, Any]:
        """The columns that all versions for the same messages share."""
        covered = {"messages": self.messages, "first_seq": self.first_seq, "last_seq": self.last_seq}
        return {**self.owner, **covered}
