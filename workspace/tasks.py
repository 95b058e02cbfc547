"""The queue's task. What it is about is in the session's row, so it may be lost, doubled or late."""

from uuid import UUID

from worker.identity import worker_identity
from worker.readers import task
from workspace.sessions.advance import advance_session


@task
def advance(session_id: UUID) -> None:
    """Do what the session owes. What was taken falls due when its lease ends."""
    advance_session(session_id=session_id, worker=worker_identity())
