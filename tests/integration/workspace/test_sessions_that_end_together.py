"""Sessions of one relationship that end at the same time: each rewrites the same hot context, one after the other."""

from typing import Any
from uuid import UUID

from django_q.models import OrmQ

from providers.errors import ProviderUnavailable
from relationships.models import Relationship
from tests.fakes import ScriptedProvider
from tests.fixtures.api import TESTER
from tests.fixtures.workspaces import begin, work
from workspace.hot_context import read_hot_context
from workspace.models import AgentSession, SessionState, Worker
from workspace.sessions.advance import advance_session
from workspace.sessions.commands import finish_session, get_session

AT_ONCE = 6


def finished(pair: Relationship, number: int) -> list[AgentSession]:
    sessions = [begin(pair, f"Task {each}", Worker.EXTERNAL) for each in range(number)]
    for session in sessions:
        finish_session(relationship=pair, session_id=session.id, summary="Done.", facts=[], by=TESTER)
    OrmQ.objects.all().delete()
    return sessions


def work_on_the_woken() -> None:
    """Take the only task that is queued."""
    (queued,) = OrmQ.objects.all()
    queued.delete()
    advance_session(session_id=UUID(queued.task["args"][0]), worker="test")


def test_sessions_that_finish_at_once_are_curated_one_after_the_other(
    pair: Relationship, scripted_provider: ScriptedProvider
) -> None:
    """None is curated twice, fails, or waits for the sweep once the one before it is over."""
    sessions = finished(pair, AT_ONCE)

    def others_try(request: Any) -> str:
        for session in AgentSession.objects.filter(lease_token=None).exclude(due_at=None):
            work(pair, session)
        assert not OrmQ.objects.exists(), "nobody is woken who would have to wait"
        return f"Hot context {len(scripted_provider.requests)}."

    scripted_provider.otherwise = others_try
    work(pair, sessions[0])
    for _ in sessions[1:]:
        work_on_the_woken()

    assert [get_session(pair.id, session.id).state for session in sessions] == [SessionState.DONE] * AT_ONCE
    assert len(scripted_provider.requests) == AT_ONCE and not OrmQ.objects.exists()
    assert read_hot_context(pair.id) == (f"Hot context {AT_ONCE}.\n", AT_ONCE)


def test_a_curation_that_has_to_be_tried_again_lets_the_next_one_go_first(
    pair: Relationship, scripted_provider: ScriptedProvider
) -> None:
    first, second = finished(pair, 2)

    def fails(request: Any) -> Exception:
        work(pair, second)
        return ProviderUnavailable("away")

    scripted_provider.answer_with(fails, "Second.", "First.")
    due = work(pair, first).due_at
    work_on_the_woken()

    assert get_session(pair.id, second.id).state == SessionState.DONE
    assert get_session(pair.id, first.id).due_at == due, "the pause before its next try is kept"
    assert work(pair, first).state == SessionState.DONE
