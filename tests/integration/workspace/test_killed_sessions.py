"""A worker that dies at any write of a session: it happened whole or not at all, and the next worker goes on.

What a database sees of a `kill -9` is a connection that ends, wherever it was. So the session is run again and again,
and each time one write further than the last its worker ends with its connection, before that write. The drill
`tests/acceptance/drills/test_agent_sessions.py` does it with real processes, at the places that matter.
"""

import json
import re
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from providers.llm.base import CompletionRequest
from relationships.models import Companion, Message, Relationship
from tests.fakes import ScriptedProvider
from tests.fixtures.api import TESTER
from tests.fixtures.people import meet
from tests.fixtures.weather import WeatherServer, give_weather
from tests.fixtures.workspaces import whole
from upkeep.verification import verify
from workspace.history import log_of
from workspace.models import AgentSession, AgentStep, Branch, Checkpoint, HotContextVersion, Worker
from workspace.sessions.advance import advance_session
from workspace.sessions.commands import start_session
from workspace.sessions.run import CUT_OFF
from workspace.store import read_contents

WRITE = re.compile(r"\b(INSERT INTO|DELETE FROM|UPDATE \S+ (\w+ )?SET)\b")
STEPS: list[tuple[str, dict[str, Any]]] = [
    ("create", {"path": "plan.md", "file_text": "Go to Faro.\n"}),
    ("weather", {"city": "Faro"}),
    ("done", {"summary": "Planned.", "facts": ["Goes to Faro."]}),
]


class Killed(BaseException):
    """Nothing of ours catches it."""


class Killer:
    """Ends the worker before its write of this number; 0: never."""

    def __init__(self, write: int) -> None:
        self.left = self.at = write

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        self.left -= bool(WRITE.search(str(sql)))
        if self.at and self.left <= 0:
            raise Killed
        return execute(sql, params, many, context)


def answer(request: CompletionRequest) -> Any:
    """As its history stands, so that who asks again is answered the same."""
    if request.schema is None:
        return "Goes to Faro."
    tool, given = STEPS[len(request.history) // 2]
    return {"tool": tool, "input": json.dumps(given)}


def run(person: Relationship, killer: Killer) -> AgentSession:
    """A session whose first worker may be killed, and whose second is not."""
    session, _ = start_session(relationship=person, task="Plan", worker=Worker.BUILT_IN, by=TESTER)
    try:
        with connection.execute_wrapper(killer):
            advance_session(session_id=session.id, worker="one")
    except Killed:
        connection.close()
        AgentSession.objects.take_back(holders=["one"], now=timezone.now())
        advance_session(session_id=session.id, worker="two")
    return AgentSession.objects.get(id=session.id)


def said(step: AgentStep) -> tuple[str, ...]:
    """Of a call over the network that depends on where it was cut off."""
    return () if step.tool == "weather" else (step.state, step.result)


def told(person: Relationship, session: AgentSession) -> dict[str, Any]:
    """All that a session leaves, without what differs from run to run."""
    steps = AgentStep.objects.for_relationship(person.id).order_by("number")
    of = {"relationship_id": person.id}
    return {
        "session": (session.state, session.error, session.due_at, session.lease_token, session.steps),
        "steps": [(step.number, step.tool, step.arguments, *said(step)) for step in steps],
        "log": [row.message.split(" session ")[0] for row in log_of(person).order_by("recorded_at")],
        "files": read_contents(person.id, "main") | {"memory/entries.md": b"names the person"},
        "branches": [row.name for row in Branch.objects.filter(**of)],
        "checkpoints": [row.name for row in Checkpoint.objects.filter(**of).order_by("taken_at")],
        "hot": [(row.version, row.content) for row in HotContextVersion.objects.filter(**of)],
        "memory": [row.content for row in Message.objects.filter(**of)],
    }


@pytest.mark.django_db(transaction=True)
def test_a_worker_killed_before_any_write_changes_nothing_in_the_result(
    companion: Companion, weather: WeatherServer, scripted_provider: ScriptedProvider
) -> None:
    Companion.objects.filter(id=companion.id).update(config={"workspace": {"provider": "scripted"}})
    give_weather(companion, weather.url)
    scripted_provider.otherwise = answer
    counting = Killer(0)
    person = whole(meet(companion))
    whole_one = told(person, run(person, counting))
    assert whole_one["session"][0] == "done", whole_one

    cut_off = 0
    for write in range(1, -counting.left + 1):
        person, before = whole(meet(companion)), len(weather.asked)
        session = run(person, Killer(write))
        assert told(person, session) == whole_one, f"killed before write {write}"
        call = AgentStep.objects.for_relationship(person.id).get(tool="weather")
        assert len(weather.asked) - before <= 1, "a call that may have been made is never made again"
        assert (call.state, call.result == CUT_OFF) in (("done", False), ("failed", True))
        cut_off += call.state == "failed"
    assert cut_off and not verify().found


@pytest.mark.django_db(transaction=True)
def test_a_web_process_killed_as_a_session_of_ones_own_begins_leaves_a_whole_one_or_none(
    companion: Companion, scripted_provider: ScriptedProvider
) -> None:
    """A worker gives it its branch, and leaves the rest to whoever works at it: our model is not asked."""
    begun: list[str] = []
    for write in range(1, 50):
        person = whole(meet(companion))
        try:
            with connection.execute_wrapper(Killer(write)):
                start_session(relationship=person, task="Plan", worker=Worker.EXTERNAL, by=TESTER)
            break
        except Killed:
            connection.close()
        for session in AgentSession.objects.filter(relationship=person):
            advance_session(session_id=session.id, worker="two")
            session = AgentSession.objects.get(id=session.id)
            assert (session.state, session.due_at, session.lease_token) == ("running", None, None)
            assert Branch.objects.for_relationship(person.id).filter(name=session.branch).exists()
            begun.append(session.branch)
    assert begun and not scripted_provider.requests and not verify().found
