"""A task: "there is something to do for this relationship". What there is to do, the rows say.

Each is of a project, so that none waits for another's (worker.fairness).
"""

from uuid import UUID

from django_q.tasks import async_task

from config import tracing
from worker.broker import NotifyBroker


def enqueue(relationship_id: UUID, *, project_id: UUID) -> None:
    """Have a worker drain the relationship as soon as the present transaction commits; rolled back, nothing
    stays.
    """
    enqueue_task("memory.tasks.drain", relationship_id, project_id=project_id)


def enqueue_embedding(relationship_id: UUID, *, project_id: UUID) -> None:
    """The same for the vectors that the relationship's texts owe."""
    enqueue_task("memory.tasks.embed", relationship_id, project_id=project_id)


def enqueue_task(task: str, *row_ids: UUID, project_id: UUID) -> None:
    """The same for any row that owes something: `task` is the dotted path of what takes its IDs."""
    parent = tracing.traceparent()
    trace = {"traceparent": parent} if parent else {}
    async_task(task, *map(str, row_ids), **trace, broker=NotifyBroker(project_id=project_id))
