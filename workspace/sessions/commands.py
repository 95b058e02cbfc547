"""What people do with an agent's session: start, pause, resume, stop, finish, retry; and call tools for their own."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from relationships.ids import uuid7
from relationships.models import Relationship
from relationships.services.audit import audit_row
from relationships.services.configuration import configuration_of
from relationships.services.rows import require, require_lock
from relationships.services.tokens import create_token, prolong_token
from web.actor import Actor
from web.errors import Conflict, NotFound
from workspace.errors import SessionLost, SessionNotOpen
from workspace.gateway.call import check_shape, get_tool
from workspace.models import AgentSession, AgentStep, SessionState, StepState, Worker
from workspace.models.agent_session import OPEN, branch_of
from workspace.sessions.claim import abandoned_hours, enqueue_session, update_session
from workspace.sessions.hydrate import hydrate_session
from workspace.sessions.model_calls import forgettings
from workspace.sessions.run import call_of, change_step

MOST_OPEN = 20  # open sessions of a relationship
_AT_WORK = (SessionState.HYDRATING, SessionState.RUNNING)


def get_session(relationship_id: UUID, session_id: UUID) -> AgentSession:
    """Raises NotFound."""
    rows = AgentSession.objects.for_relationship(relationship_id)
    session: AgentSession = require(rows.filter(id=session_id), "session")
    return session


def start_session(
    *, relationship: Relationship, task: str, worker: Worker, by: Actor
) -> tuple[AgentSession, str]:
    """Start a session. Returns it, and for an external one its token, shown only once. Raises NotFound,
    SessionNotOpen.

    A worker takes up a built-in session. An external one's branch is ready when this returns.
    """
    with transaction.atomic():
        require_lock(relationship.id)
        owned = AgentSession.objects.for_relationship(relationship.id)
        if owned.filter(state__in=OPEN).count() >= MOST_OPEN:
            raise SessionNotOpen(f"{MOST_OPEN} sessions are open: finish or stop one first.")
        now, session_id = timezone.now(), uuid7()
        session: AgentSession = AgentSession.objects.create(
            **relationship.owner,
            id=session_id,
            worker=worker,
            task=task,
            branch=branch_of(session_id),
            actor_kind=by.kind,
            actor_id=by.id,
            seen_at=now,
            due_at=now,
        )
        audit_row(session, "agent_session.started", by, relationship_id=str(relationship.id))
        if worker == Worker.BUILT_IN:
            enqueue_session(session)
            return session, ""
        hours = configuration_of(relationship).values.workspace.abandoned_hours
        row, token = create_token(
            relationship=relationship,
            scopes=["read", "write"],
            expires_in=hours * 3600,
            by=by,
            session_id=session.id,
        )
        update_session(session, token_id=row.id)
    try:
        hydrate_session(relationship, session)
    except SessionLost as lost:
        raise NotFound(str(lost)) from lost
    return session, token


@transaction.atomic
def heartbeat(*, relationship: Relationship, session_id: UUID) -> AgentSession:
    """Record a sign of life, and prolong the session's token. Raises NotFound, SessionNotOpen."""
    session = _locked(relationship, session_id, SessionState.RUNNING)
    update_session(session)
    if session.token_id is not None:
        seconds = abandoned_hours(relationship) * 3600
        prolong_token(relationship_id=relationship.id, token_id=session.token_id, expires_in=seconds)
    return session


def finish_session(
    *, relationship: Relationship, session_id: UUID, summary: str, facts: Sequence[str], by: Actor
) -> AgentSession:
    """Have a worker curate and merge an external or abandoned session. Raises NotFound, SessionNotOpen."""
    states = (SessionState.RUNNING, SessionState.ABANDONED)
    with _changing(relationship, session_id, by, "finished", *states) as session:
        if session.worker == Worker.BUILT_IN and session.state == SessionState.RUNNING:
            raise SessionNotOpen(
                "A Rapport worker is working on it: stop the session, and the work done so far is merged."
            )
        again: dict[str, Any] = {"ended_at": None, "stage": "", "error": ""}
        take_up(session, SessionState.CURATING, summary=summary, facts=list(facts), **again)
    return session


def pause_session(*, relationship: Relationship, session_id: UUID, by: Actor) -> AgentSession:
    """Pause the session after its current step. Raises NotFound, SessionNotOpen."""
    with _changing(relationship, session_id, by, "paused", *_AT_WORK) as session:
        update_session(session, paused=True)
    return session


def resume_session(*, relationship: Relationship, session_id: UUID, by: Actor) -> AgentSession:
    """Raises NotFound, SessionNotOpen."""
    with _changing(relationship, session_id, by, "resumed", *_AT_WORK) as session:
        update_session(session, paused=False)
        if session.worker == Worker.BUILT_IN:
            take_up(session, session.state)
    return session


def stop_session(*, relationship: Relationship, session_id: UUID, by: Actor) -> AgentSession:
    """End the session: what it has done so far is curated and merged. Raises NotFound, SessionNotOpen."""
    with _changing(relationship, session_id, by, "stopped", *_AT_WORK) as session:
        # A worker ends a built-in one, and one that has no branch yet once it has.
        runs_elsewhere = session.worker == Worker.EXTERNAL and session.state == SessionState.RUNNING
        state = SessionState.CURATING if runs_elsewhere else session.state
        take_up(session, state, stop=True, paused=False)
    return session


def retry_session(*, relationship: Relationship, session_id: UUID, by: Actor) -> AgentSession:
    """Continue a failed session at the stage where it failed. Raises NotFound, SessionNotOpen."""
    with _changing(relationship, session_id, by, "retried", SessionState.FAILED) as session:
        again: dict[str, Any] = {"ended_at": None, "stage": "", "curations": 0}
        again |= {"attempts": 0, "error": "", "error_code": ""}
        take_up(session, session.stage or SessionState.CURATING, **again)
    return session


def call_for_session(
    *,
    relationship: Relationship,
    session_id: UUID,
    name: str,
    given: dict[str, Any],
    approved: int | None = None,
) -> AgentStep:
    """Call a tool. The step is in state `waiting` if a person has to approve it first: then call again with its number.

    Raises NotFound, SessionNotOpen, ToolRefused, Conflict.
    """
    with transaction.atomic():
        session = _locked(relationship, session_id, SessionState.RUNNING)
        if session.worker != Worker.EXTERNAL:
            raise SessionNotOpen("Tools are called for a session of your own.")
        tool = get_tool(relationship.companion_id, name)
        check_shape(tool.input, given, "input")
        step = (
            _approved_step(session, approved, name, given)
            if approved is not None
            else _new_step(session, name, given, waits=tool.needs_approval)
        )
    if step.state == StepState.STARTED:
        change_step(step, **call_of(relationship, step))
        update_session(session)
    return step


def take_up(session: AgentSession, state: str, **values: object) -> None:
    """Set the state, and have a worker continue the session."""
    update_session(session, state=state, due_at=timezone.now(), **values)
    enqueue_session(session)


@contextmanager
def _changing(
    relationship: Relationship, session_id: UUID, by: Actor, done: str, *states: SessionState
) -> Iterator[AgentSession]:
    """A transaction in which the session is changed; afterwards the audit trail says what was done."""
    with transaction.atomic():
        session = _locked(relationship, session_id, *states)
        yield session
        audit_row(session, f"agent_session.{done}", by, relationship_id=str(relationship.id))


def _locked(relationship: Relationship, session_id: UUID, *states: SessionState) -> AgentSession:
    require_lock(relationship.id)
    session = get_session(relationship.id, session_id)
    if session.state not in states:
        raise SessionNotOpen(f"The session is {session.state}; this needs it to be {' or '.join(states)}.")
    return session


def _new_step(session: AgentSession, name: str, given: dict[str, Any], *, waits: bool) -> AgentStep:
    steps = AgentStep.objects.for_relationship(session.relationship_id).filter(session_id=session.id)
    number = (steps.aggregate(last=Max("number"))["last"] or 0) + 1
    step: AgentStep = AgentStep.objects.create(
        **session.owner,
        session_id=session.id,
        number=number,
        tool=name,
        arguments=given,
        state=StepState.WAITING if waits else StepState.STARTED,
        forgettings=forgettings(session.relationship_id),
    )
    update_session(session, steps=number)
    return step


def _approved_step(session: AgentSession, number: int, name: str, given: dict[str, Any]) -> AgentStep:
    rows = AgentStep.objects.for_relationship(session.relationship_id)
    step: AgentStep | None = rows.filter(session_id=session.id, number=number, tool=name).first()
    if step is None or step.state != StepState.APPROVED or step.arguments != given:
        raise Conflict("No call of this tool with this input was approved under that number.")
    change_step(step, state=StepState.STARTED)
    return step
