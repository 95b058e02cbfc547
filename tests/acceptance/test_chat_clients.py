"""Other people's clients talk to the real service: five turns, streamed, with a tool of theirs, and what was remembered
at the end. Programs of the guide too, as they stand on the page.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from relationships.models import Message, Turn
from tests.acceptance.processes import ROOT
from tests.acceptance.service import LiveService
from tests.clients import environment as clients
from tests.vendor_servers.openai_server import OpenAIServer
from tests.waiting import wait_until

HERE = Path(clients.__file__).parent
TOLD = [
    "I live in Porto.",
    "I am allergic to peanuts.",
    "What is the weather like?",
    "My sister is called Ana.",
]
ASKED = "What do you know about me?"
PROGRAMS: dict[str, Callable[[Path], list[str]]] = {
    "talk_openai.mjs": lambda file: [str(clients.node()), str(file)],
    "talk_vercel.mjs": lambda file: [str(clients.node()), str(file)],
    "talk_langchain.py": lambda file: [str(clients.PYTHON), str(file)],
    "talk_llamaindex.py": lambda file: [str(clients.PYTHON), str(file)],
}


@pytest.fixture(scope="session")
def installed() -> None:
    try:
        clients.install()
    except clients.Unreachable as error:
        pytest.skip(f"{error} So this client is not tried.")


@pytest.fixture
def model() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


@pytest.fixture
def service(live: LiveService, model: OpenAIServer) -> LiveService:
    live.settings |= {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "k"}
    live.companion_config = {
        "ingestion": {"provider": "offline"},
        "context": {"provider": "openai"},
        "chat": {"tools": []},
    }
    live.new_relationships(1)
    live.start_worker()
    live.start_web()
    live.wait_until_ready()
    return live


def run(service: LiveService, command: list[str], said: list[str], *, fed: str = "") -> list[str]:
    """The lines that the program printed."""
    told = {"BASE_URL": f"{service.web.url}/v1", "KEY": service.new_api_key(), "SAID": json.dumps(said)}
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    done = subprocess.run(
        command,
        env={**kept, **told},
        input=fed,
        capture_output=True,
        text=True,
        timeout=120,
        cwd=clients.FOLDER.parent,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_client_talks_and_is_remembered(
    service: LiveService, model: OpenAIServer, installed: None, program: str
) -> None:
    model.push({"tool_calls": [{"name": "weather", "arguments": {"city": "Porto"}}], "match": "weather"})
    file = HERE / program
    if file.suffix == ".mjs":  # Node looks for packages beside the file
        file = clients.FOLDER / program
        file.write_text((HERE / program).read_text())
    command = PROGRAMS[program](file)

    replies = run(service, command, TOLD)
    wait_until(lambda: _all_settled(), timeout=30, what="the turns to be read")
    last = run(service, command, [ASKED])

    assert len(replies) == 4 and len(last) == 1 and all(json.loads(reply) for reply in replies)
    system = model.requests[-1].body["messages"][0]["content"]
    assert "Porto" in system and "peanuts" in system and "Ana" in system
    assert Turn.objects.count() == 6 and not Turn.objects.filter(interrupted=True).exists()
    assert Message.objects.filter(role="tool", content="sunny").exists()


def program_of_the_guide(language: str) -> str:
    page = (ROOT / "docs" / "how-to" / "chat-with-any-openai-client.md").read_text()
    found = re.search(rf"```{language}\n(.*?)```", page, re.DOTALL)
    assert found, f"the page has no program in {language}"
    assert len(found[1].splitlines()) <= 30
    return found[1]


def test_the_guides_program_in_python_runs_as_it_stands(service: LiveService, tmp_path: Path) -> None:
    file = tmp_path / "chat.py"
    file.write_text(program_of_the_guide("python"))

    lines = run(service, [sys.executable, str(file)], [], fed="I live in Porto.\nWhere do I live?\n")

    assert "You said:" in "\n".join(lines)
    assert Message.objects.filter(role="user").count() == 2


def test_the_guides_program_in_typescript_runs_as_it_stands(service: LiveService, installed: None) -> None:
    file = clients.FOLDER / "chat.ts"
    file.write_text(program_of_the_guide("typescript"))

    lines = run(service, [str(clients.node()), str(file)], [], fed="I live in Porto.\nWhere do I live?\n")

    assert "You said:" in "\n".join(lines)
    assert Message.objects.filter(role="user").count() == 2


def _all_settled() -> bool:
    return not Turn.objects.exclude(state__in=("applied", "skipped", "failed")).exists()
