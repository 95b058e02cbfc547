"""Claims sessions by a lease, and finds those that owe work or show no sign of life."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from relationships.models import QueuedOwnedQuerySet, Relationship
from relationships.services.configuration import configuration_of
from relationships.services.sequence import lock_relationship
from relationships.services.tokens import revoke_token
from web.errors import InvalidConfiguration, NotFound
from worker.enqueue import enqueue_task
from worker.failures import each_alone
from worker.leases import GIVEN_UP
from worker.owed_rows import OwedRows
from worker.waiting import announce_settled
from workspace.configuration import Workspace
from workspace.errors import SessionLost
from workspace.identity import RAPPORT
from workspace.models import AgentSession, SessionState
from workspace.models.agent_session import ENDING, OPEN

TASK = "workspace.sessions.advance.advance"
AT_ONCE = 20
WAIT = timedelta(minutes=1)  # of a session for the one that ends before it, if that does not wake it
PAGE = 200  # silent sessions that one round checks
_START = UUID(int=0)


def enqueue_session(session: AgentSession) -> None:
    """Have a worker continue the session once the current transaction commits."""
    enqueue_task(TASK, session.id, project_id=session.project_id)


def claim_session(*, session_id: UUID, worker: str) -> AgentSession | None:
    """Claim a session. Returns None if nothing is owed, or another worker holds it."""
    rows = AgentSession.objects.filter(id=session_id)
    owner = rows.values_list("relationship_id", flat=True).first()
    return rows.filter(relationship_id=owner).claim_one(worker=worker) if owner else None


@contextmanager
def holding(claimed: AgentSession) -> Iterator[AgentSession]:
    """Open a transaction with the relationship's row locked and the session still ours. Raises SessionLost."""
    with transaction.atomic():
        if not lock_relationship(claimed.relationship_id):
            raise SessionLost("The relationship was erased.")
        session = claimed_row(claimed).select_for_update().first()
        if session is None:
            raise SessionLost("Another worker has taken it over, or it is over.")
        yield session
        announce_settled([claimed.id])


def claimed_row(claimed: AgentSession) -> Any:
    rows = AgentSession.objects.for_relationship(claimed.relationship_id).filter(id=claimed.id)
    return rows.held(claimed.lease_token) if claimed.lease_token else rows


def update_session(session: AgentSession, **values: Any) -> None:
    """Write these columns and notify watchers. If that ends the session, revoke its token too."""
    now = timezone.now()
    values.setdefault("seen_at", now)
    if "state" in values and values["state"] not in OPEN:
        values = {**values, "ended_at": now, "due_at": None}
        if session.token_id is not None:
            relationship = Relationship.objects.get(id=session.relationship_id)
            with suppress(NotFound):  # an expired token may be gone
                revoke_token(relationship=relationship, token_id=session.token_id, by=RAPPORT)
            values["token_id"] = None
    rows = AgentSession.objects.for_relationship(session.relationship_id).filter(id=session.id)
    rows.update(**values)
    for name, value in values.items():
        setattr(session, name, value)
    announce_settled([session.id])


def hand_over(claimed: AgentSession) -> None:
    """Leave the rest to another task. Raises SessionLost."""
    with holding(claimed) as session:
        claimed_row(claimed).release(due_at=timezone.now(), code="", error="")
        enqueue_session(session)


def rest_session(claimed: AgentSession) -> None:
    """Release the session until a person continues it; if one just did, it stays due. Raises SessionLost."""
    with holding(claimed) as session:
        if session.due_at in (None, claimed.due_at):
            claimed_row(claimed).settle(attempts=0, error_code="")
        else:
            claimed_row(claimed).release(due_at=session.due_at)
            enqueue_session(session)


def may_end(claimed: AgentSession) -> bool:
    """Whether no other session of the relationship is being curated or merged. Otherwise this one is released, and
    waits to be woken: each rewrites the same hot context, so they do it one after the other. Raises SessionLost.
    """
    with holding(claimed) as session:
        if not _ending(session).held().exists():
            return True
        claimed_row(claimed).release(due_at=timezone.now() + WAIT, code="", error="")
        return False


def wake_next(claimed: AgentSession) -> None:
    """Have a worker end the session of the relationship that has waited longest, if any waits and none is at it."""
    with transaction.atomic():
        if _ending(claimed).held().exists():
            return
        waiting = _ending(claimed).filter(due_at__isnull=False, lease_token=None, error_code="")
        if first := waiting.select_for_update(skip_locked=True).order_by("due_at", "id").first():
            waiting.filter(id=first.id).update(due_at=timezone.now())
            enqueue_session(first)


def _ending(session: AgentSession) -> QueuedOwnedQuerySet:
    """The relationship's other sessions that are to be curated or merged."""
    rows = AgentSession.objects.for_relationship(session.relationship_id).filter(state__in=ENDING)
    others: QueuedOwnedQuerySet = rows.exclude(id=session.id)
    return others


def fail_session(claimed: AgentSession, reason: str) -> None:
    """Mark the session as failed at its present stage, which can be retried. Raises SessionLost."""
    with holding(claimed) as session:
        claimed_row(claimed).settle()
        update_session(session, state=SessionState.FAILED, stage=session.state, error=reason[:2000])


def _give_up(session: AgentSession) -> None:
    update_session(session, state=SessionState.FAILED, stage=session.state, error=GIVEN_UP)


take_up_sessions = OwedRows(model=AgentSession, task=TASK, ids=["id"], give_up=_give_up, most=AT_ONCE)


class AbandonWalk:
    """Marks sessions as abandoned that showed no sign of life for the configured time. Their branches stay.

    Each round checks one page of the silent sessions; after the last page it starts over.
    """

    def __init__(self) -> None:
        self._after = _START

    def step(self, now: datetime) -> int:
        """Check one page. Returns how many sessions were abandoned."""
        silent = _silent().filter(seen_at__lte=now - timedelta(hours=1), id__gt=self._after).order_by("id")
        page = list(silent.select_related("relationship__project", "relationship__companion")[:PAGE])
        self._after = page[-1].id if len(page) == PAGE else _START
        return each_alone(page, partial(_abandon, now), of=lambda session: session.relationship_id)


def _abandon(now: datetime, session: AgentSession) -> int:
    hours = abandoned_hours(session.relationship)
    if session.seen_at > now - timedelta(hours=hours):
        return 0
    with transaction.atomic():
        lock_relationship(session.relationship_id)
        if not _silent().filter(id=session.id, seen_at=session.seen_at).exists():
            return 0  # a sign of life came just now
        update_session(
            session,
            state=SessionState.ABANDONED,
            stage=SessionState.RUNNING,
            error=f"It gave no sign of life for {hours} hours.",
            seen_at=session.seen_at,
        )
    return 1


def _silent() -> Any:
    return AgentSession.objects.filter(state=SessionState.RUNNING, due_at=None, lease_token=None)


def abandoned_hours(relationship: Relationship) -> int:
    """The configured hours; the default if the configuration has become invalid, which is reported elsewhere."""
    try:
        return int(configuration_of(relationship).values.workspace.abandoned_hours)
    except InvalidConfiguration:
        return Workspace().abandoned_hours
