"""Reads and retries runs for people, and empties runs for erasures."""

from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from behaviours.models import BehaviourRun, OutboxMessage, RunState
from behaviours.owed import TASK
from relationships.services.rows import require, require_lock
from web.errors import Conflict
from worker.enqueue import enqueue_task


def get_run(relationship_id: UUID, run_id: UUID) -> BehaviourRun:
    """Raises NotFound."""
    rows = BehaviourRun.objects.for_relationship(relationship_id).filter(id=run_id)
    found: BehaviourRun = require(rows, "run")
    return found


@transaction.atomic
def retry_run(*, relationship_id: UUID, run_id: UUID) -> BehaviourRun:
    """Retry a failed run, or one that waits for its next attempt, now. Raises NotFound, Conflict."""
    require_lock(relationship_id)
    run = get_run(relationship_id, run_id)
    waits = run.state == RunState.PENDING and run.fired_at is not None
    if run.kind != "async" or not (run.state == RunState.FAILED or waits) or run.redacted_at:
        raise Conflict(f"The run is {run.state}; only failed and waiting runs after a turn can be retried.")
    rows = BehaviourRun.objects.for_relationship(relationship_id).filter(id=run_id)
    values: dict[str, Any] = {"attempts": 0, "error": "", "error_code": "", "settled_at": None}
    rows.update(state=RunState.PENDING, due_at=timezone.now(), **values)
    enqueue_task(TASK, relationship_id, project_id=run.project_id)
    return get_run(relationship_id, run_id)


def erase_in_runs(
    *, relationship_id: UUID, turn_ids: Collection[UUID], entry_ids: Collection[UUID], now: datetime
) -> tuple[int, int]:
    """Empty the runs and outbox messages about these turns and entries. Returns how many runs and messages.

    Runs for contexts without a turn are emptied too, as nobody can tell what they were about. A worker that holds such
    a run loses it. Call in the erasing transaction, under the relationship's row lock.
    """
    runs = BehaviourRun.objects.for_relationship(relationship_id)
    quoting = runs.quoting(entry_ids).values("id")
    about = runs.filter(
        Q(id__in=quoting) | Q(turn_id__in=turn_ids) | Q(kind="priority", turn_id=None), redacted_at=None
    )
    about.filter(state=RunState.WORKING).settle(state=RunState.PENDING, due_at=now)
    about.filter(state=RunState.PENDING).update(rendered="", answer="", error="", error_code="")
    told = about.exclude(state=RunState.PENDING)
    emptied: int = told.update(rendered="", answer="", outcome="", error="", redacted_at=now)
    queued = OutboxMessage.objects.for_relationship(relationship_id).filter(
        Q(turn_id__in=turn_ids) | Q(run_id__in=quoting), redacted_at=None
    )
    messages: int = queued.update(content="", redacted_at=now)
    return emptied, messages
