"""The queue's task, and the sweep for summaries whose task was lost or whose worker died."""

from functools import partial
from uuid import UUID

from django.db import transaction

from relationships.services.sequence import lock_relationship
from summaries.making import make_summaries
from summaries.models import Summary, SummaryState
from summaries.owed import TASK
from summaries.snapshot import rebuild_summary
from worker.identity import worker_identity
from worker.leases import GIVEN_UP
from worker.owed_rows import OwedRows
from worker.readers import task

AT_ONCE = 20


@task
def summarise(relationship_id: UUID) -> None:
    """Make the summaries that the relationship owes. If the worker dies, they are due again when their lease ends."""
    make_summaries(relationship_id=relationship_id, worker=worker_identity())


def _give_up(summary: Summary) -> None:
    """Fail the summary after the sweep's transaction. Locking the relationship in it could deadlock."""
    transaction.on_commit(partial(_fail, summary), robust=True)


@transaction.atomic
def _fail(summary: Summary) -> None:
    lock_relationship(summary.relationship_id)
    row = Summary.objects.for_relationship(summary.relationship_id).filter(id=summary.id)
    if row.filter(state=SummaryState.PENDING, attempts__gte=summary.attempts).settle(
        state=SummaryState.FAILED, error=GIVEN_UP
    ):
        rebuild_summary(**summary.owner)


make_owed_summaries = OwedRows(
    model=Summary, task=TASK, give_up=_give_up, waiting=Summary.objects.next_in_line, most=AT_ONCE
)
