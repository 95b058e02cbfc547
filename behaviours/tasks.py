"""The queue's task, and the sweeps for runs whose task was lost, whose worker died, or whose turn was read."""

from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from behaviours.actions import ACTIONS
from behaviours.execution import run_behaviours
from behaviours.models import BehaviourRun, RunState
from behaviours.owed import TASK
from config.postgresql.sessions import execute
from worker.enqueue import enqueue_task
from worker.identity import worker_identity
from worker.leases import GIVEN_UP
from worker.lost_nodes import among
from worker.owed_rows import OwedRows
from worker.readers import task

AT_ONCE = 50
KEPT = timedelta(days=30)  # runs of priority behaviours

_TURNS_READ = """
UPDATE behaviours_behaviourrun b SET due_at = %(now)s
  FROM relationships_turn t
 WHERE b.state = 'pending' AND b.due_at IS NULL
   AND t.relationship_id = b.relationship_id AND t.id = b.turn_id AND t.state = 'applied'{among}
RETURNING b.relationship_id, b.project_id
"""


@task
def run(relationship_id: UUID) -> None:
    """Run what the relationship's behaviours owe. If the worker dies, runs are due again when their lease ends."""
    run_behaviours(relationship_id=relationship_id, worker=worker_identity(), actions=ACTIONS)


def _give_up(run: BehaviourRun) -> None:
    row = BehaviourRun.objects.for_relationship(run.relationship_id).filter(id=run.id)
    row.settle(state=RunState.FAILED, settled_at=timezone.now(), error=GIVEN_UP)


run_owed = OwedRows(model=BehaviourRun, task=TASK, give_up=_give_up, most=AT_ONCE)


@transaction.atomic
def look_at_turns_read(now: datetime) -> int:
    """Make runs due that waited until their turn was read. Returns how many."""
    condition, reachable = among(BehaviourRun, "b.relationship_id", "t.relationship_id")
    due = execute(_TURNS_READ.format(among=condition), {"now": now, **reachable})
    for relationship_id, project_id in set(due):
        enqueue_task(TASK, relationship_id, project_id=project_id)
    return len(due)


def drop_runs_of_contexts(now: datetime) -> int:
    dropped, _ = BehaviourRun.objects.filter(kind="priority", recorded_at__lt=now - KEPT).delete()
    return dropped
