"""A task says: "there is something to do for this relationship". The rows say what.

Each task belongs to a project, so that no project waits for another one's tasks (worker.fairness).
"""

from uuid import UUID

from django_q.tasks import async_task

from config import tracing
from worker.broker import NotifyBroker


def enqueue(relationship_id: UUID, *, project_id: UUID) -> None:
    """Have a worker drain the relationship as soon as the current transaction commits; after a rollback nothing is
    left.
    """
    enqueue_task("memory.tasks.drain", relationship_id, project_id=project_id)


def enqueue_embedding(relationship_id: UUID, *, project_id: UUID) -> None:
    """The same for the relationship's texts that have no vector yet."""
    enqueue_task("memory.tasks.embed", relationship_id, project_id=project_id)


def enqueue_task(task: str, *row_ids: UUID, project_id: UUID) -> None:
    """The same for any row that has work due: `task` is the dotted path of the function that takes its IDs."""
    parent = tracing.traceparent()
    trace = {"traceparent": parent} if parent else {}
    async_task(task, *map(str, row_ids), **trace, broker=NotifyBroker(project_id=project_id))
