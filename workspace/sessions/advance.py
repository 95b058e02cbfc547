"""Advances a session stage by stage. Each stage, and each step of a run, happens completely or not at all."""

from time import monotonic
from uuid import UUID

import structlog

from worker.failures import Failure
from worker.identity import worker_identity
from worker.leases import keeping
from worker.readers import task
from worker.worker_stats import stop_requested
from workspace.errors import SessionLost
from workspace.models import AgentSession, SessionState, Worker
from workspace.models.agent_session import ENDING
from workspace.sessions.claim import (
    claim_session,
    claimed_row,
    fail_session,
    hand_over,
    holding,
    may_end,
    rest_session,
    wake_next,
)
from workspace.sessions.curate import curate_session
from workspace.sessions.hydrate import hydrate_session
from workspace.sessions.merge import merge_session
from workspace.sessions.run import SessionFailed, take_step

log = structlog.get_logger(__name__)

MOST_SECONDS = 60.0  # then the task hands over to a new one, so that turns get workers too


def advance_session(*, session_id: UUID, worker: str) -> None:
    """Do what the session owes, if anything, and if no other worker holds it."""
    claimed = claim_session(session_id=session_id, worker=worker)
    if claimed is None:
        return
    try:
        with keeping(claimed):
            _advance(claimed)
        wake_next(claimed)
    except SessionLost:
        log.info("lost the lease of a session", event_name="session.lost", session_id=str(session_id))


def _advance(claimed: AgentSession) -> None:
    started = monotonic()
    try:
        while _next(claimed):
            if monotonic() - started > MOST_SECONDS or stop_requested():
                hand_over(claimed)
                return
    except SessionLost:
        raise
    except SessionFailed as error:
        _fail(claimed, str(error))
    except Exception as error:
        _give_back(claimed, Failure.of(error, attempts=claimed.attempts))


def _next(claimed: AgentSession) -> bool:
    """Do the next stage or step. Returns False if nothing more is owed."""
    session = _read(claimed)
    if session is None:
        return False
    relationship = session.relationship
    if session.state == SessionState.HYDRATING:
        hydrate_session(relationship, session)
    elif session.state == SessionState.RUNNING:
        # The developer works on an external one.
        if session.worker == Worker.EXTERNAL or not take_step(relationship, session):
            rest_session(claimed)
            return False
    elif session.state in ENDING:
        return _end(claimed)
    else:
        rest_session(claimed)
        return False
    _made_progress(claimed)
    return True


def _end(claimed: AgentSession) -> bool:
    """Curate and merge the session, if it is its turn. Returns whether it was."""
    if not may_end(claimed):
        return False
    for state, do in ((SessionState.CURATING, curate_session), (SessionState.MERGING, merge_session)):
        session = _read(claimed)
        if session is not None and session.state == state:
            do(session.relationship, session)
            _made_progress(claimed)
    return True


def _read(claimed: AgentSession) -> AgentSession | None:
    parts = [f"relationship__{name}" for name in ("companion", "user", "project")]
    session: AgentSession | None = claimed_row(claimed).select_related(*parts).first()
    return session


def _made_progress(claimed: AgentSession) -> None:
    """Count failed attempts from zero."""
    if claimed.attempts or claimed.error_code:
        claimed_row(claimed).update(attempts=0, error="", error_code="")
        claimed.attempts, claimed.error_code = 0, ""


def _give_back(claimed: AgentSession, failure: Failure) -> None:
    """Release the session for a retry, or fail it. Details of our own mistakes go to the log only."""
    session_id = str(claimed.id)
    error = failure.error
    if failure.is_ours:
        log.error("unexpected error", event_name="session.internal_error", where=error, session_id=session_id)
        error = "" if failure.delay is not None else "Something went wrong in Rapport. It was logged."
    if failure.delay is None:
        _fail(claimed, error)
        return
    with holding(claimed):
        failure.release(claimed_row(claimed), error=error)
    if not failure.is_ours:
        told = {"code": failure.code, "session_id": session_id}
        log.warning("a session waits for the model", event_name="session.waiting", **told)


def _fail(claimed: AgentSession, reason: str) -> None:
    fail_session(claimed, reason)
    log.warning("a session failed", event_name="session.failed", session_id=str(claimed.id))


@task
def advance(session_id: UUID) -> None:
    """Advance a session. If the worker dies, the session is due again when its lease ends."""
    advance_session(session_id=session_id, worker=worker_identity())
