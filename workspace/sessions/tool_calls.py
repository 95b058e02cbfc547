"""Calls a tool for an external session: checks the input, asks for approval if needed, and stores the step."""

from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Max

from relationships.models import Relationship
from relationships.services.rows import require_lock
from web.errors import Conflict
from workspace.errors import SessionNotOpen
from workspace.gateway.call import check_shape, get_tool
from workspace.models import AgentSession, AgentStep, SessionState, StepState, Worker
from workspace.sessions.asking import forgettings
from workspace.sessions.claim import update_session
from workspace.sessions.run import call_of, change_step
from workspace.sessions.verbs import get_session


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
        session = _open_session(relationship, session_id)
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


def _open_session(relationship: Relationship, session_id: UUID) -> AgentSession:
    require_lock(relationship.id)
    session = get_session(relationship.id, session_id)
    if session.state != SessionState.RUNNING or session.worker != Worker.EXTERNAL:
        raise SessionNotOpen("Tools are called for a running session of your own.")
    return session


def _new_step(session: AgentSession, name: str, given: dict[str, Any], *, waits: bool) -> AgentStep:
    steps = AgentStep.objects.for_relationship(session.relationship_id).filter(session_id=session.id)
    number = (steps.aggregate(last=Max("number"))["last"] or 0) + 1
    step: AgentStep = AgentStep.objects.create(
        relationship_id=session.relationship_id,
        project_id=session.project_id,
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
