from typing import Self

from django.contrib.postgres.fields import ArrayField
from django.db import models

from relationships.models.owned import QueuedOwnedQuerySet, RelationshipOwned
from worker.models.queued import QueuedRow


class RunState(models.TextChoices):
    PENDING = "pending"  # due_at null: it waits until its turn is read
    WORKING = "working"  # a worker holds it, by lease
    DONE = "done"
    LEFT_OUT = "left_out"  # of a priority behaviour: it was late or failed, and the context went without it
    FAILED = "failed"  # given up; `error` says why, Retry brings it back


class RunQuerySet(QueuedOwnedQuerySet):  # type: ignore[override]  # as_manager, which none overrides
    def fired(self) -> Self:
        """Without those whose condition is still to be looked at."""
        return self.filter(fired_at__isnull=False)


class BehaviourRun(QueuedRow, RelationshipOwned):
    """One time that a behaviour did something, or may have to: who finds that its condition does not hold deletes it.

    `occasion` is what it is about, once for each behaviour: `turn:` or `context:` and an ID, or `at:` and a time.
    """

    WAITING = {"state": RunState.PENDING}
    HELD = {"state": RunState.WORKING}

    behaviour = models.CharField(max_length=60)
    kind = models.CharField(max_length=10)  # priority, async
    action = models.CharField(max_length=10)
    occasion = models.CharField(max_length=60)
    turn_id = models.UUIDField(null=True)  # of a context's: the turn that came of it, once there is one
    session = models.CharField(max_length=200)
    state = models.CharField(max_length=10, choices=RunState.choices, default=RunState.PENDING)
    rendered = models.TextField(blank=True)  # the text, the prompt, or the call's body
    answer = models.TextField(blank=True)  # of the model, or the one who was called
    outcome = models.TextField(blank=True)  # a sentence
    model_call_ids = ArrayField(models.UUIDField(), default=list)
    prompt_tokens = models.PositiveIntegerField(null=True)
    output_tokens = models.PositiveIntegerField(null=True)
    milliseconds = models.FloatField(null=True)
    error = models.TextField(blank=True)
    recorded_at = models.DateTimeField(auto_now_add=True)
    fired_at = models.DateTimeField(null=True)
    settled_at = models.DateTimeField(null=True)
    redacted_at = models.DateTimeField(null=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["relationship", "behaviour", "occasion"], name="run_once_an_occasion"
            ),
            models.CheckConstraint(condition=models.Q(state__in=RunState.values), name="run_known_state"),
            models.CheckConstraint(
                condition=models.Q(redacted_at=None) | models.Q(rendered="", answer="", outcome="", error=""),
                name="run_redacted_is_empty",
            ),
        ]
        indexes = [
            # the sweep: what is owed or held, in any relationship, and what waits for its turn
            models.Index(
                fields=["due_at"], condition=models.Q(state__in=["pending", "working"]), name="run_owed"
            ),
            # a turn's runs
            models.Index(fields=["relationship", "turn_id"], name="run_of_turn"),
            # those of contexts are dropped after some time
            models.Index(fields=["recorded_at"], condition=models.Q(kind="priority"), name="run_of_context"),
        ]
