"""The queue's task, and what finds the rows whose task was lost or whose worker died."""

from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import transaction

from relationships.services.sequence import lock_relationship
from summaries.making import make_summaries
from summaries.models import Summary, SummaryState
from summaries.owed import TASK
from summaries.snapshot import rebuild_summary
from worker.enqueue import enqueue_task
from worker.identity import worker_identity
from worker.leases import postpone_overdue, take_back_dead
from worker.models import WORKER_DIED
from worker.readers import task

AT_ONCE = 20


@task
def summarise(relationship_id: UUID) -> None:
    """Make the summaries that the relationship owes. What was taken falls due when its lease ends."""
    make_summaries(relationship_id=relationship_id, worker=worker_identity())


@transaction.atomic
def make_owed_summaries(now: datetime) -> int:
    """Take back what dead workers held, and enqueue what is due. How many were enqueued."""
    take_back_dead(Summary.objects.all(), now)
    deadly = Summary.objects.due(now).filter(error_code=WORKER_DIED, attempts__gte=settings.MAX_ATTEMPTS)
    for summary in list(deadly):
        lock_relationship(summary.relationship_id)
        row = Summary.objects.for_relationship(summary.relationship_id).filter(id=summary.id)
        row.settle(state=SummaryState.FAILED, due_at=None, error="Given up: it ended its workers.")
        rebuild_summary(relationship_id=summary.relationship_id, project_id=summary.project_id)
    owed = postpone_overdue(Summary.objects.next_in_line(), now, most=AT_ONCE)
    for summary in owed:
        enqueue_task(TASK, summary.relationship_id, project_id=summary.project_id)
    return len(owed)
