"""Brings generated files up to date, and makes a session's branch."""

from django.db import transaction
from django.utils import timezone

from relationships.models import Relationship
from relationships.services.profiles import read_profile
from relationships.services.sequence import lock_relationship
from workspace.checkpoints import take_checkpoint
from workspace.errors import SessionLost
from workspace.files import change_files, refresh_generated
from workspace.generated import NOTES
from workspace.hot_context import read_hot_context
from workspace.identity import RAPPORT
from workspace.models import AgentSession, SessionState, Worker
from workspace.sessions.claim import claimed_row, update_session
from workspace.store import move_branch
from workspace.trees import key_of


def hydrate_session(relationship: Relationship, session: AgentSession) -> None:
    """Write the branch, its notes, its start versions and a checkpoint in one transaction. Raises SessionLost."""
    with transaction.atomic():
        if not lock_relationship(relationship.id):
            raise SessionLost("The relationship was erased.")
        present = claimed_row(session).filter(state=SessionState.HYDRATING).first()
        if present is None:
            return
        external = present.worker == Worker.EXTERNAL
        state = SessionState.CURATING if external and present.stop else SessionState.RUNNING
        head = refresh_generated(relationship)
        move_branch(relationship, session.branch, head, at=timezone.now())
        change_files(
            relationship=relationship,
            changes={NOTES: b""},
            by=RAPPORT,
            branch=session.branch,
            message="Begin the session's notes",
            session_id=session.id,
        )
        take_checkpoint(
            relationship=relationship, name="start", by=RAPPORT, branch=session.branch, session_id=session.id
        )
        update_session(
            session,
            state=state,
            running_at=timezone.now(),
            start={
                "hot_context": read_hot_context(relationship.id)[1],
                "profile": read_profile(relationship.id)[1],
            },
            base_id=key_of(head.commit),
            **({"due_at": None} if external and state == SessionState.RUNNING else {}),
        )
