"""The queue's task."""

from uuid import UUID

from connect.events.delivering import deliver_events
from worker.identity import worker_identity
from worker.readers import task


@task
def deliver(relationship_id: UUID) -> None:
    """Tell the companion's webhook what happened in the relationship."""
    deliver_events(relationship_id=relationship_id, worker=worker_identity())
