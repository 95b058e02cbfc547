"""Sessions: the developer's own conversations, with temporary JSON that ending clears."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F

from config.postgresql.sessions import execute
from relationships.configuration.json_schemas import refuse_misshapen
from relationships.configuration.merge_patch import merge_patch
from relationships.ids import uuid7
from relationships.models import Relationship, SessionState
from relationships.services.audit import audit_row
from relationships.services.configuration import configuration_of
from relationships.services.limits import document_fault
from relationships.services.rows import check_version, require, require_lock
from relationships.services.sequence import lock_relationship
from relationships.services.snapshots import write_section
from web.actor import Actor
from web.errors import Conflict, TooMuch
from worker.failures import each_alone

IDLE = Actor.policy("session_idle")
# Called when sessions end, in the same transaction and under the relationship's row lock.
end_listeners: list[Callable[[Relationship, datetime], None]] = []

TOUCH_SESSION = """
INSERT INTO relationships_sessionstate AS old
    (relationship_id, id, project_id, session, state, version, started_at, last_active_at, idle_at, turns)
VALUES (%(relationship)s, %(session_id)s, %(project)s, %(session)s, '{}', 1, %(at)s, %(at)s, %(idle_at)s, %(turns)s)
ON CONFLICT (relationship_id, session) DO UPDATE SET
    last_active_at = greatest(old.last_active_at, EXCLUDED.last_active_at),
    idle_at = EXCLUDED.idle_at,
    started_at = CASE WHEN old.ended_at IS NULL THEN old.started_at ELSE EXCLUDED.started_at END,
    ended_at = NULL,
    turns = old.turns + EXCLUDED.turns
"""


def touch_session(
    *, relationship: Relationship, session: str, at: datetime, idle_minutes: int, turns: int = 0
) -> None:
    """Create or reopen the session, and restart its idle timeout. `at` (our clock) is when the `turns` came in."""
    own = {"relationship": relationship.id, "project": relationship.project_id}
    execute(TOUCH_SESSION, own | touched(session, at=at, idle_minutes=idle_minutes, turns=turns))


def touched(session: str, *, at: datetime, idle_minutes: int, turns: int) -> dict[str, Any]:
    """The parameters of TOUCH_SESSION, except for relationship and project."""
    idle_at = at + timedelta(minutes=idle_minutes) if idle_minutes else None
    return {"session_id": uuid7(), "session": session, "at": at, "idle_at": idle_at, "turns": turns}


@transaction.atomic
def patch_session(
    *,
    relationship: Relationship,
    session: str,
    patch: dict[str, Any],
    idle_minutes: int,
    expected_version: int | None = None,
) -> SessionState:
    """Merge `patch` into the session's state (RFC 7396). A session that is new or ended is opened.

    Raises StaleVersion, TooMuch if the state would be too long, InvalidInput if it does not fit the schema,
    NotFound if the relationship is gone.
    """
    require_lock(relationship.id)
    current = _rows(relationship).filter(session=session).first()
    check_version(expected=expected_version, current=current.version if current else 0)
    state = merge_patch(current.state if current else {}, patch)
    _check(relationship, state)
    touch_session(relationship=relationship, session=session, at=datetime.now(UTC), idle_minutes=idle_minutes)
    # a row that touch_session has just inserted keeps its version 1
    _rows(relationship).filter(session=session).update(
        state=state, version=F("version") + (1 if current else 0)
    )
    rebuild_sessions(relationship)
    return get_session(relationship=relationship, session=session)


@transaction.atomic
def replace_session_state(
    *, relationship: Relationship, session: str, state: dict[str, Any], expected_version: int | None = None
) -> SessionState:
    """Replace an open session's state. Raises like patch_session, and Conflict if the session has ended."""
    require_lock(relationship.id)
    current = get_session(relationship=relationship, session=session)
    if current.ended_at is not None:
        raise Conflict("The session has ended; its state is gone.")
    check_version(expected=expected_version, current=current.version)
    _check(relationship, state)
    _rows(relationship).filter(session=session).update(state=state, version=F("version") + 1)
    rebuild_sessions(relationship)
    return get_session(relationship=relationship, session=session)


@transaction.atomic
def end_session(*, relationship: Relationship, session: str, by: Actor) -> SessionState:
    """Mark the session as ended and clear its state, if it is open. Raises NotFound."""
    require_lock(relationship.id)
    _end(relationship, [session], by)
    return get_session(relationship=relationship, session=session)


def end_idle_sessions(now: datetime) -> int:
    """End the sessions whose idle timeout has passed; return how many. One short transaction per relationship."""
    idle = SessionState.objects.open().filter(idle_at__lte=now)
    owners = idle.values_list("relationship_id", flat=True).distinct()[:1000]
    return each_alone(list(owners), partial(_end_idle, now))


@transaction.atomic
def _end_idle(now: datetime, relationship_id: UUID) -> int:
    relationship = Relationship.objects.filter(id=relationship_id).first()
    if relationship is None or not lock_relationship(relationship_id):
        return 0
    # read again under the lock: a turn may have come in meanwhile
    names = _rows(relationship).open().filter(idle_at__lte=now).values_list("session", flat=True)
    return _end(relationship, list(names), IDLE)


def get_session(*, relationship: Relationship, session: str) -> SessionState:
    """Raises NotFound."""
    found: SessionState = require(_rows(relationship).filter(session=session), "session")
    return found


def rebuild_sessions(relationship: Relationship) -> None:
    """Rewrite the snapshot's section, in the transaction of the change and under its lock.

    It contains only open sessions with a state: most have none, and the snapshot is read for every reply.
    """
    held = _rows(relationship).open().exclude(state={}).values_list("session", "state")
    write_section(
        relationship_id=relationship.id,
        project_id=relationship.project_id,
        section="sessions",
        value=dict(held),
    )


def _rows(relationship: Relationship) -> Any:
    return SessionState.objects.for_relationship(relationship.id)


def _end(relationship: Relationship, sessions: Iterable[str], by: Actor) -> int:
    ended: int = (
        _rows(relationship)
        .open()
        .filter(session__in=list(sessions))
        .update(state={}, ended_at=datetime.now(UTC), idle_at=None, version=F("version") + 1)
    )
    if ended:
        rebuild_sessions(relationship)
        for listener in end_listeners:
            listener(relationship, datetime.now(UTC))
        # audited, as their state is gone for good; changes of temporary state are not
        audit_row(relationship, "session.ended", by, sessions=ended)
    return ended


def _check(relationship: Relationship, state: Any) -> None:
    if fault := document_fault(state):
        raise TooMuch(f"The session's state {fault}.", limit=settings.MAX_PROFILE_BYTES)
    refuse_misshapen(configuration_of(relationship).values.sessions.json_schema, state, whole="state")
