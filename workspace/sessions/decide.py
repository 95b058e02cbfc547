"""A person's decisions: whether a tool is called, and what happens to a held change."""

from uuid import UUID

from django.db import transaction
from django.utils import timezone

from relationships.models import Relationship
from relationships.services.audit import audit_row
from relationships.services.profiles import replace_profile
from relationships.services.rows import require, require_lock
from web.actor import Actor
from web.errors import Conflict, NotFound
from workspace.errors import SessionNotOpen
from workspace.files import Contents, change_files, read_file
from workspace.identity import told
from workspace.models import AgentStep, HeldChange, SessionState, StepState, Worker
from workspace.sessions.claim import update_session
from workspace.sessions.commands import get_session, take_up
from workspace.sessions.run import change_step


@transaction.atomic
def decide_call(
    *, relationship: Relationship, session_id: UUID, number: int, approve: bool, by: Actor
) -> AgentStep:
    """Approve or deny a tool call. A built-in session then continues. Raises NotFound, Conflict, SessionNotOpen."""
    require_lock(relationship.id)
    session = get_session(relationship.id, session_id)
    rows = AgentStep.objects.for_relationship(relationship.id).filter(session_id=session_id, number=number)
    step: AgentStep = require(rows, "step")
    if step.state != StepState.WAITING:
        raise Conflict("This step is not waiting for approval.")
    if session.state != SessionState.RUNNING:
        raise SessionNotOpen(f"The session is {session.state}: it makes no more calls.")
    state, result = (
        (StepState.APPROVED, "") if approve else (StepState.DENIED, "A person did not allow this call.")
    )
    change_step(step, state=state, result=result, decided_by=told(by))
    action = "approved" if approve else "denied"
    audit_row(session, f"agent_session.call_{action}", by, tool=step.tool, number=number)
    if session.worker == Worker.BUILT_IN:
        take_up(session, session.state)
    else:
        update_session(session)
    return step


@transaction.atomic
def decide_held(*, relationship: Relationship, held_id: UUID, accept: bool, by: Actor) -> HeldChange:
    """Decide a held change. Accept: the session's version replaces the file, or the proposed profile is written.
    Decline: the session's version is deleted. Raises NotFound, Conflict, StaleVersion.
    """
    require_lock(relationship.id)
    rows = HeldChange.objects.for_relationship(relationship.id).filter(id=held_id)
    held: HeldChange = require(rows, "held change")
    if held.state != HeldChange.OPEN:
        raise Conflict("This has already been decided.")
    if held.kind == HeldChange.CONFLICT:
        _settle_files(relationship, held, accept, by)
    elif accept:
        replace_profile(
            relationship=relationship, data=held.proposal or {}, by=by, expected_version=held.base_version
        )
    held.state = HeldChange.ACCEPTED if accept else HeldChange.DECLINED
    held.decided_by, held.decided_at = told(by), timezone.now()
    rows.update(state=held.state, decided_by=held.decided_by, decided_at=held.decided_at)
    audit_row(held, f"held_change.{held.state}", by, relationship_id=str(relationship.id))
    _review_is_over(relationship, held.session_id)
    return held


def _settle_files(relationship: Relationship, held: HeldChange, accept: bool, by: Actor) -> None:
    changes: Contents
    try:
        if held.kept_as:
            theirs = read_file(relationship, held.kept_as).content
            changes = {held.kept_as: None, **({held.path: theirs} if accept else {})}
        elif accept == held.session_deleted:
            read_file(relationship, held.path)
            changes = {held.path: None}
        else:
            return  # the changed file is in place already
    except NotFound:
        return  # a person has tidied up already
    done = "Take the session's side" if accept else "Keep main's side"
    change_files(relationship=relationship, changes=changes, by=by, message=f"{done} of {held.path}")


def _review_is_over(relationship: Relationship, session_id: UUID) -> None:
    rows = HeldChange.objects.for_relationship(relationship.id)
    if rows.filter(session_id=session_id, state=HeldChange.OPEN).exists():
        return
    session = get_session(relationship.id, session_id)
    if session.state == SessionState.NEEDS_REVIEW:
        update_session(session, state=SessionState.DONE)
