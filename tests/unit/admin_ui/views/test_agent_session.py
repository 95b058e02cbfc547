"""What an operator sees of an agent's session and its steps, and decides."""

import pytest
from django.test import Client
from django.urls import reverse

from relationships.models import Relationship
from tests.fixtures.api import TESTER
from tests.fixtures.workspaces import whole
from workspace.models import AgentSession, AgentStep, SessionState, StepState, Worker
from workspace.sessions.commands import finish_session, start_session


@pytest.fixture
def here(relationship: Relationship) -> Relationship:
    return whole(relationship)


def page(name: str, here: Relationship, **more: object) -> str:
    return reverse(f"admin_ui:relationship_{name}", kwargs={"relationship_id": here.id, **more})


def test_a_session_is_started_paused_and_its_call_approved(owner: Client, here: Relationship) -> None:
    owner.post(page("workspace", here), {"task": "Plan a trip"})
    session = AgentSession.objects.get()
    AgentSession.objects.filter(id=session.id).update(state=SessionState.RUNNING)
    at = page("agent_session", here, session_id=session.id)
    owner.post(at, {"do": "pause"})
    AgentStep.objects.create(
        relationship=here,
        project_id=here.project_id,
        session_id=session.id,
        number=1,
        tool="pay",
        arguments={"to": "Ana", "euros": 9, "note": "For the trip.\nSee you!", "items": "Tickets"},
        state="waiting",
    )
    shown = owner.get(at).content.decode()
    assert "Approve" in shown and 'data-poll="2000"' in shown  # as every live part, which rests while unseen
    assert all(f"<bdi>{value}</bdi>" in shown for value in ("Ana", 9, "Tickets"))
    assert ">For the trip.\nSee you!<" in shown
    owner.post(at, {"do": "approve", "version": "1"})

    assert AgentSession.objects.get().paused and AgentStep.objects.get().state == StepState.APPROVED
    AgentSession.objects.filter(id=session.id).update(state=SessionState.DONE)
    assert '<form class="pad row"' in shown and '<form class="pad row"' not in owner.get(at).content.decode()


def test_a_call_that_waits_for_approval_is_named_until_its_session_ends(
    owner: Client, here: Relationship
) -> None:
    session, _ = start_session(relationship=here, task="Pay Ana", worker=Worker.EXTERNAL, by=TESTER)
    own = {"relationship": here, "project_id": here.project_id, "session_id": session.id}
    AgentStep.objects.create(**own, number=1, tool="pay", state=StepState.WAITING)
    waiting = owner.get(page("workspace", here)).content.decode()
    listed = owner.get("/admin-ui/relationships/?waits=1").content.decode()
    finish_session(relationship=here, session_id=session.id, summary="", facts=[], by=TESTER)

    assert 'Review<span class="visually-hidden"> the call of pay' in waiting
    assert page("agent_session", here, session_id=session.id) in waiting
    assert "1 awaiting review in the workspace" in listed and page("workspace", here) in listed
    assert "the call of pay" not in owner.get(page("workspace", here)).content.decode()
    assert str(here.id) not in owner.get("/admin-ui/relationships/?waits=1").content.decode()


def test_of_a_steps_long_texts_the_beginning_is_shown_and_all_of_a_call_that_waits(
    owner: Client, here: Relationship
) -> None:
    session, _ = start_session(relationship=here, task="t", worker=Worker.EXTERNAL, by=TESTER)
    long = f"{'x' * 5000} the end"
    step = AgentStep.objects.create(
        relationship=here,
        project_id=here.project_id,
        session_id=session.id,
        number=1,
        tool="pay",
        arguments={"text": long},
        state=StepState.WAITING,
    )
    address = page("agent_session", here, session_id=session.id)

    assert long in owner.get(address).content.decode()
    AgentStep.objects.for_relationship(here.id).filter(id=step.id).update(state=StepState.DONE, result=long)
    shown = owner.get(address).content.decode()
    assert "the end" not in shown and shown.count("x" * 2999) == 2
