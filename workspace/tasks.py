"""The queue's task. What it is about is in the session's row, so it may be lost, doubled or late."""

from uuid import UUID

import structlog

from memory.tasks import CRASHES, kind_and_place
from worker.identity import worker_identity
from worker.worker_stats import stop_requested
from workspace.sessions.advance import advance_session

log = structlog.get_logger(__name__)


def advance(session_id: str) -> None:
    """Do what the session owes. Never fails, so that django-q2 keeps nothing about it."""
    if stop_requested():
        return
    try:
        advance_session(session_id=UUID(session_id), worker=worker_identity())
    except CRASHES as error:
        # The lease brings it back.
        log.error(
            "a session's work crashed",
            event_name="session.crashed",
            session_id=session_id,
            **kind_and_place(error),
        )
