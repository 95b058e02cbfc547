"""Agents at work in many relationships while their workers are killed: no acknowledged change is lost, none is half."""

import json
import os
import random
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
import pytest
from pytest_django.fixtures import Settings

from relationships.models import Companion, Relationship
from tests.acceptance.drills.conftest import QUICK
from tests.acceptance.drills.talk import LONG, only_long
from tests.acceptance.service import LiveService
from tests.acceptance.stock_git import Git
from tests.fixtures.api import TESTER
from tests.fixtures.weather import WeatherServer, give_weather, weather_server
from tests.fixtures.workspaces import whole
from tests.vendor_servers.openai_server import OpenAIServer
from tests.waiting import wait_until
from workspace.files import change_files
from workspace.history import reachable
from workspace.models import AgentSession, AgentStep, Blob, Branch, HeldChange, HotContextVersion, Worker
from workspace.models.agent_session import OPEN
from workspace.sessions.commands import finish_session, start_session
from workspace.sessions.run import CUT_OFF
from workspace.store import read_contents
from workspace.trees import key_of

pytestmark = pytest.mark.drill

SESSIONS, RELATIONSHIPS, AT_ONCE = 100, 20, 5
CURATES = 5  # the place of that question, after those of the steps
LIST, LINE = "list.md", "now.md"  # to which all append; of which all edit one line


@dataclass
class Agent:
    """A model that answers as its history stands. At one place it may be held up, so that a kill finds it there."""

    at: int | None = None
    then: Callable[[], None] = field(default=lambda: None)
    reached: threading.Event = field(default_factory=threading.Event)

    def __call__(self, body: dict[str, Any]) -> dict[str, Any]:
        said = body["messages"]
        curates = "response_format" not in body
        place = CURATES if curates else sum(message["role"] == "assistant" for message in said)
        if place == self.at and not self.reached.is_set():
            self.then()
            self.reached.set()
        if curates:
            return {"text": "# Hot context\nThey work a lot."}
        task = str(said[1]["content"]).rpartition("\n")[2]
        tool, given = self.steps(task)[place]
        return {"json": {"tool": tool, "input": json.dumps(given)}}

    def steps(self, task: str) -> list[tuple[str, dict[str, Any]]]:
        return [
            ("create", {"path": f"{task}.md", "file_text": f"{task}\n"}),
            ("insert", {"path": LIST, "insert_line": 0, "insert_text": f"- {task}"}),
            ("str_replace", {"path": LINE, "old_str": "now:", "new_str": f"now: {task}"}),
            ("weather", {"city": task}),
            ("done", {"summary": f"Did {task}.", "facts": [f"They did {task}."]}),
        ]


@pytest.fixture
def agent() -> Agent:
    return Agent()


@pytest.fixture
def weather() -> Iterator[WeatherServer]:
    with weather_server() as server:
        yield server


@pytest.fixture
def agents(live: LiveService, agent: Agent, settings: Settings) -> Iterator[LiveService]:
    """No process yet; what is started asks `agent`."""
    settings.ALLOW_PRIVATE_ADDRESSES = True  # where the tool is
    live.companion_config = {"workspace": {"provider": "openai"}, "ingestion": {"enabled": False}}
    with OpenAIServer(respond=agent, latency=0.05) as model:
        live.settings |= QUICK | {
            "RAPPORT_ALLOW_PRIVATE_ADDRESSES": "1",
            "OPENAI_BASE_URL": model.url,
            "OPENAI_API_KEY": "k",
        }
        yield live


def people_of(service: LiveService, weather: WeatherServer, count: int) -> list[Relationship]:
    """Each with a list and a line to be edited; their companion has a tool."""
    people = [whole(person) for person in service.new_relationships(count)]
    give_weather(Companion.objects.get(id=people[0].companion_id), weather.url, timeout=20)
    for person in people:
        files = {LIST: b"- first\n", LINE: b"now: nothing\n"}
        change_files(relationship=person, changes=files, by=TESTER)
    return people


# Where a worker is killed: at which question to the model, and the table that it can't write just then. Without a table
# the question itself is never answered; without a question the session has only begun. (In one process a worker ends
# before each of its writes: tests/integration/workspace/test_killed_sessions.py)
PLACES: dict[str, tuple[int | None, str]] = {
    "hydrate": (None, "workspace_checkpoint"),
    "a tool call": (1, "workspace_agentstep"),
    "a call over the network": (3, "weather"),
    "asked to curate": (CURATES, ""),
    "merge": (CURATES, "workspace_hotcontextversion"),
}
if LONG:
    PLACES |= {
        "asked for a step": (1, ""),
        "the last step": (4, "workspace_agentstep"),
        "curate": (CURATES, "workspace_checkpoint"),
        "sync": (CURATES, "relationships_snapshot"),
    }


def test_a_worker_killed_at_any_step_leaves_it_whole_or_undone(
    agents: LiveService, agent: Agent, weather: WeatherServer
) -> None:
    people = people_of(agents, weather, len(PLACES))
    agents.start_worker().wait_until_in_order()
    for (name, (at, table)), person in zip(PLACES.items(), people, strict=True):
        kill_at(agents, agent, weather, person, at=at, table=table)
        wait_until(lambda: under_way() == 0, timeout=90, what=f"the session killed at {name} to end")

        session = AgentSession.objects.get(relationship=person)
        assert session.state == "done", (name, session.error)
        versions = HotContextVersion.objects.for_relationship(person.id)
        assert [row.version for row in versions] == [1], name
        files = read_contents(person.id, "main")
        assert files[LIST] == b"- task\n- first\n" and files[LINE] == b"now: task nothing\n", name
        step = AgentStep.objects.for_relationship(person.id).get(tool="weather")
        assert (step.result == CUT_OFF) == (table == "weather"), name
    require_nothing_lost(people)
    assert len(weather.asked) == len(PLACES), "no call is made twice"


def kill_at(
    service: LiveService,
    agent: Agent,
    weather: WeatherServer,
    person: Relationship,
    *,
    at: int | None,
    table: str,
) -> None:
    """Start a session of theirs, and kill who works at it where that has come to."""
    with service.database.connect() as other:
        gone = threading.Event()

        def hold() -> None:
            if table not in ("", "weather"):
                other.execute(b"BEGIN")
                other.execute(f"LOCK TABLE {table} IN SHARE MODE".encode())
            elif not table:
                agent.reached.set()
                gone.wait(60)

        agent.at, agent.then, agent.reached = at, hold, threading.Event()
        if at is None:
            hold()
        weather.silent, asked = table == "weather", len(weather.asked)
        session, _ = start_session(relationship=person, task="task", worker=Worker.BUILT_IN, by=TESTER)
        if table == "weather":
            wait_until(lambda: len(weather.asked) > asked, timeout=60, what="the tool to be called")
        elif table:
            wait_until(lambda: waits_for(other, table), timeout=60, what=f"somebody to write {table}")
        else:
            assert agent.reached.wait(60), f"nothing was asked at {at}"
        kill_holder(AgentSession.objects.get(id=session.id).leased_by)
        weather.silent = False
        gone.set()


def waits_for(other: "psycopg.Connection[Any]", table: str) -> bool:
    """Whether somebody waits to write the table."""
    asked = "SELECT FROM pg_locks WHERE NOT granted AND relation = %s::regclass"
    return bool(other.execute(asked.encode(), [table]).fetchall())


@only_long
def test_sessions_whose_workers_are_killed_lose_nothing(
    agents: LiveService, weather: WeatherServer, tmp_path: Path
) -> None:
    """At random, some at a time; a third of them have their worker killed at work, a third are worked at from outside."""
    chance = random.Random(7)
    people = people_of(agents, weather, RELATIONSHIPS)
    agents.start_worker().wait_until_in_order()
    acknowledged: list[tuple[Relationship, str]] = []
    kills = 0

    def room_for_another(place: int) -> bool:
        nonlocal kills
        working = AgentSession.objects.filter(state__in=OPEN)
        if kills < place // 3 and chance.random() < 0.2:
            holders = working.exclude(lease_token=None).values_list("leased_by", flat=True)
            if holders and kill_holder(chance.choice(list(holders))):
                kills += 1
        return working.count() < (AT_ONCE if place < SESSIONS else 1)

    for place in range(SESSIONS):
        wait_until(lambda: room_for_another(place), timeout=120, what="a place for another session")  # noqa: B023
        person, outside = chance.choice(people), place % 3 == 2
        who = Worker.EXTERNAL if outside else Worker.BUILT_IN
        session, _ = start_session(relationship=person, task=f"Task-{place}", worker=who, by=TESTER)
        if outside:
            commit = work_outside(person, session)
            acknowledged.append((person, commit))
            finish_session(relationship=person, session_id=session.id, summary="", facts=[], by=TESTER)
    wait_until(lambda: room_for_another(SESSIONS), timeout=300, what="every session to end")

    assert kills >= SESSIONS // 3 - 1, kills
    assert AgentSession.objects.count() == SESSIONS
    require_nothing_lost(people)
    for person, commit in acknowledged:
        assert key_of(commit) in history(person)
    require_replays(agents, people, tmp_path)


def kill_holder(holder: str) -> bool:
    """kill -9 of the process that has this lease."""
    with suppress(ProcessLookupError):
        os.kill(int(holder.rsplit(":", 2)[1]), signal.SIGKILL)
        return True
    return False


def work_outside(person: Relationship, session: AgentSession) -> str:
    """What an agent does, by hand. The commit that was acknowledged last."""
    files = read_contents(person.id, session.branch)
    changes = {
        f"{session.task}.md": f"{session.task}\n".encode(),
        LIST: f"- {session.task}\n".encode() + files[LIST],
        LINE: files[LINE].replace(b"now:", f"now: {session.task}".encode()),
    }
    done = [
        change_files(relationship=person, changes={path: content}, by=TESTER, branch=session.branch)
        for path, content in changes.items()
    ]
    return done[-1].commit


def under_way() -> int:
    return AgentSession.objects.filter(state__in=OPEN).count()


def history(person: Relationship) -> set[Any]:
    main = Branch.objects.for_relationship(person.id).get(name="main")
    return reachable(person.id, main.commit_id)


def require_nothing_lost(people: list[Relationship]) -> None:
    """Each session is over, all its commits are on main's history, and what it wrote stands once: in the list, and in
    the line or, where others edited that, beside it. No content that there ever was has a marker.
    """
    for person in people:
        there, files = history(person), read_contents(person.id, "main")
        listed = files[LIST].decode().splitlines()
        held = {row.session_id: row for row in HeldChange.objects.for_relationship(person.id)}
        for session in AgentSession.objects.for_relationship(person.id):
            assert session.state in ("done", "needs_review"), (session.state, session.error)
            rows = AgentStep.objects.for_relationship(person.id).filter(session_id=session.id)
            steps = list(rows.order_by("number"))
            assert [step.number for step in steps] == list(range(1, len(steps) + 1))
            assert {step.commit_id for step in steps} <= there
            assert listed.count(f"- {session.task}") == 1, (session.task, listed)
            assert files[f"{session.task}.md"] == f"{session.task}\n".encode()
            line = files[held[session.id].kept_as if session.id in held else LINE].decode()
            assert session.task in line.split(), line
        for blob in Blob.objects.for_relationship(person.id):
            assert b"<<<<<<<" not in bytes(blob.content) and b">>>>>>>" not in bytes(blob.content)


def require_replays(service: LiveService, people: list[Relationship], folder: Path) -> None:
    """Stock git finds each history whole, and comes to the same files when it plays it from its beginning."""
    service.start_web()
    service.web.wait_until_it_answers()
    root = service.web.url.replace("://", f"://git:{service.new_api_key()}@")
    for place, person in enumerate(people):
        Git(folder)("clone", "-q", f"{root}/git/{person.id}.git", f"{place}")
        clone, replayed = Git(folder / f"{place}"), Git(folder / f"{place}-again")
        assert clone("fsck", "--strict", "--full") == ""
        assert {key_of(sha) for sha in clone("rev-list", "HEAD").split()} == history(person)
        replayed("init", "-q")
        replayed("fast-import", "--quiet", data=clone.run("fast-export", "main").stdout)
        assert replayed("rev-parse", "main") == clone("rev-parse", "HEAD")
