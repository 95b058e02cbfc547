"""Agents at work in many relationships while their workers are killed: no acknowledged change is lost, none is half."""

import random

import pytest
from django.db import connection

from relationships.models import Relationship
from tests.acceptance.drills.conftest import QUICK
from tests.acceptance.drills.talk import scaled
from tests.acceptance.service import LiveService
from tests.fixtures.api import TESTER
from tests.fixtures.workspaces import whole
from tests.waiting import wait_until
from workspace.files import change_files
from workspace.history import reachable
from workspace.models import AgentSession, AgentStep, Branch, Worker
from workspace.models.agent_session import OPEN
from workspace.sessions.verbs import finish_session, start_session
from workspace.store import read_contents

pytestmark = pytest.mark.drill

SESSIONS, RELATIONSHIPS, AT_ONCE = scaled(12, 100), scaled(4, 20), 5
STAGES = ["hydrating", 1, 2, 3, 4, 5, "curating", "merging"]


@pytest.fixture
def agents(live: LiveService) -> LiveService:
    """No process yet; agents work by the offline script, whose steps take a moment each."""
    live.companion_config = {"workspace": {"provider": "offline"}, "ingestion": {"enabled": False}}
    live.settings |= QUICK
    return live


def test_sessions_whose_workers_are_killed_lose_nothing(agents: LiveService) -> None:
    """A third of the sessions have their worker killed; some are worked at from outside, on the same list."""
    chance = random.Random(7)
    people = [whole(person) for person in agents.new_relationships(RELATIONSHIPS)]
    worker = agents.start_worker()
    worker.wait_until_in_order()
    acknowledged: list[tuple[Relationship, str]] = []
    for place in range(SESSIONS):
        wait_until(lambda: under_way() < AT_ONCE, timeout=90, what="a place for another session")
        person = chance.choice(people)
        outside = place % 3 == 2
        session, _ = start_session(
            relationship=person,
            task=f"Task {place}",
            worker=Worker.EXTERNAL if outside else Worker.BUILT_IN,
            by=TESTER,
        )
        if outside:
            line = f"- line {place}\n"
            change_files(
                relationship=person, changes={f"{place}.md": line.encode()}, by=TESTER, branch=session.branch
            )
            acknowledged.append((person, f"{place}.md"))
            finish_session(relationship=person, session_id=session.id, summary="", facts=[], by=TESTER)
        if place % 3 == 0:
            worker.kill_all()
            worker = agents.start_worker()
    wait_until(lambda: under_way() == 0, timeout=180, what="every session to end")

    require_nothing_lost(people)
    for person, path in acknowledged:
        assert path in read_contents(person.id, "main")


@pytest.mark.parametrize("stage", STAGES)
def test_a_worker_killed_at_any_step_leaves_it_whole_or_undone(stage: str | int, agents: LiveService) -> None:
    person = whole(agents.new_relationships(1)[0])
    worker = agents.start_worker()
    worker.wait_until_in_order()
    session, _ = start_session(relationship=person, task="Write", worker=Worker.BUILT_IN, by=TESTER)
    wait_until(lambda: has_come_to(session, stage), timeout=60, what=f"the session to come to {stage}")
    worker.kill_all()
    steps = AgentStep.objects.for_relationship(person.id).count()

    agents.start_worker().wait_until_in_order()
    wait_until(lambda: under_way() == 0, timeout=60, what="the session to end")

    assert AgentSession.objects.get(id=session.id).state == "done"
    assert AgentStep.objects.for_relationship(person.id).count() >= steps
    require_nothing_lost([person])
    assert "workspace/outputs/what-is-known.md" in read_contents(person.id, "main")


def has_come_to(session: AgentSession, stage: str | int) -> bool:
    now = AgentSession.objects.get(id=session.id)
    order = ["hydrating", "running", "curating", "merging", "done"]
    if isinstance(stage, int):
        return now.steps >= stage or now.state not in ("hydrating", "running")
    return order.index(now.state) >= order.index(stage)


def under_way() -> int:
    return AgentSession.objects.filter(state__in=OPEN).count()


def require_nothing_lost(people: list[Relationship]) -> None:
    """Every step's commit is on main's history, steps are numbered without a gap, and no file has a marker."""
    connection.close()
    for person in people:
        main = Branch.objects.for_relationship(person.id).filter(name="main").first()
        if main is None:
            continue
        there = reachable(person.id, main.commit_id)
        for session in AgentSession.objects.for_relationship(person.id):
            assert session.state in ("done", "needs_review"), (session.state, session.error)
            steps = list(
                AgentStep.objects.for_relationship(person.id).filter(session_id=session.id).order_by("number")
            )
            assert [step.number for step in steps] == list(range(1, len(steps) + 1))
            assert {step.commit_id for step in steps} <= there
        for content in read_contents(person.id, "main").values():
            assert b"<<<<<<<" not in content and b">>>>>>>" not in content
