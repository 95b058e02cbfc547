from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Self
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Coalesce

from memory.mending.forgotten import Forgotten
from memory.models import EntryRevision, EntryState, ScratchpadEntry
from relationships.models.owned import QueuedOwnedQuerySet, RelationshipOwned
from worker.models.queued import QueuedRow

_QUOTED = ("content", "happens_at")  # of an entry, in a template


class RunState(models.TextChoices):
    PENDING = "pending"  # without due_at it waits until its turn is read
    WORKING = "working"  # a worker holds a lease
    DONE = "done"
    LEFT_OUT = "left_out"  # a priority behaviour that was late or failed; the context was built without it
    FAILED = "failed"  # given up; see `error`; can be retried


class RunQuerySet(QueuedOwnedQuerySet):  # type: ignore[override]  # as_manager, which none overrides
    def fired(self) -> Self:
        """Without runs whose condition has not been checked yet."""
        return self.filter(fired_at__isnull=False)

    def next_times(self) -> Self:
        """Runs for the next time of a schedule: one at most for each behaviour of a relationship."""
        return self.filter(occasion__startswith="at:", state__in=[RunState.PENDING, RunState.WORKING])

    def quoting(self, entry_ids: Iterable[UUID]) -> Self:
        """Runs that may quote one of these entries, because of their date."""
        ids = list(entry_ids)
        return self.filter(entry_ids__overlap=ids) if ids else self.none()

    def quoting_forgotten(self, forgotten: Forgotten) -> set[UUID]:
        """The IDs of runs that may quote what was forgotten, because of its date."""
        rows = self.quoting(forgotten.parts).values_list("id", "entry_ids", "fired_at")
        return {run_id for run_id, *quoted in rows if forgotten.in_dated(*quoted)}

    def quoting_changed(self, relationship_id: UUID) -> set[UUID]:
        """The IDs of runs that may quote a dated entry that was deleted or replaced since, or reads differently."""
        fired_at = Coalesce("fired_at", "recorded_at")  # an archive may leave out when a run fired
        runs = list(self.exclude(entry_ids=[]).values_list("id", "entry_ids", fired_at))
        quoted = {entry_id for _, entry_ids, _ in runs for entry_id in entry_ids}
        if not quoted:
            return set()
        entries = ScratchpadEntry.objects.for_relationship(relationship_id).filter(id__in=quoted)
        kept = entries.exclude(state__in=[EntryState.DELETED, EntryState.SUPERSEDED])
        reading = {entry_id: tuple(text) for entry_id, *text in kept.values_list("id", *_QUOTED)}
        changes = EntryRevision.objects.for_relationship(relationship_id).filter(
            entry_id__in=quoted, before__isnull=False, recorded_at__gt=min(fired for *_, fired in runs)
        )
        earlier = defaultdict[UUID, list[Any]](list)
        for entry_id, *change in changes.order_by("seq").values_list("entry_id", "recorded_at", "before"):
            earlier[entry_id].append(change)

        def reads_as_then(entry_id: UUID, fired_at: datetime) -> bool:
            then = next((before for at, before in earlier[entry_id] if at > fired_at), None)
            return entry_id in reading and (
                then is None or reading[entry_id] == tuple(then.get(name) for name in _QUOTED)
            )

        return {
            run_id
            for run_id, entry_ids, fired_at in runs
            if not all(reads_as_then(entry_id, fired_at) for entry_id in entry_ids)
        }


class BehaviourRun(QueuedRow, RelationshipOwned):
    """One time that a behaviour did something, or may have to. If its condition turns out not to hold, it is deleted.

    `occasion`, unique for each behaviour, is `turn:` or `context:` and an ID, or `at:` (later `on:`) and a time.
    """

    WAITING = {"state": RunState.PENDING}
    HELD = {"state": RunState.WORKING}
    FAILED_AT = "settled_at"

    behaviour = models.CharField(max_length=60)
    kind = models.CharField(max_length=10)  # priority, async
    action = models.CharField(max_length=10)
    occasion = models.CharField(max_length=60)
    turn_id = models.UUIDField(null=True)  # for a context: its turn, once there is one
    entry_ids = ArrayField(
        models.UUIDField(), default=list, db_default=[]
    )  # with a date that `happens` asked for
    session = models.CharField(max_length=200)
    state = models.CharField(max_length=10, choices=RunState.choices, default=RunState.PENDING)
    rendered = models.TextField(blank=True)  # the text, the prompt, or the call's body
    answer = models.TextField(blank=True)  # from the model, or from the URL that was called
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
            # the sweep: runs that are owed, held, or wait for their turn, in any relationship
            models.Index(
                fields=["due_at"], condition=models.Q(state__in=["pending", "working"]), name="run_owed"
            ),
            # /metrics: runs that were given up
            models.Index(
                fields=["project_id", "settled_at"], condition=models.Q(state="failed"), name="run_failed"
            ),
            # a turn's runs
            models.Index(fields=["relationship", "turn_id"], name="run_of_turn"),
            # runs for contexts are dropped after some time
            models.Index(fields=["recorded_at"], condition=models.Q(kind="priority"), name="run_of_context"),
        ]
