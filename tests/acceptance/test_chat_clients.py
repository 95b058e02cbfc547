"""Other people's clients talk to the real service: five turns, streamed, with a tool of theirs, and what was remembered
at the end. Programs of the guide too, as they stand on the page.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import openai
import pytest
from django.db.models import QuerySet

from relationships.models import Message, Turn
from tests.acceptance.clients.test_adapters import AGENTS
from tests.acceptance.processes import ROOT
from tests.acceptance.service import LiveService
from tests.environments import node, node_with, python_with
from tests.vendor_servers.openai_server import OpenAIServer
from tests.waiting import wait_until

HERE = Path(__file__).parents[1] / "clients"
PYTHON = ("langchain-openai==1.7.3", "llama-index-llms-openai-like==0.8.1")
TOLD = [
    "I live in Porto.",
    "I am allergic to peanuts.",
    "What is the weather like?",
    "My sister is called Ana.",
]
ASKED = "What do you know about me?"
PROGRAMS = (
    "talk_openai.py",
    "talk_openai.mjs",
    "talk_vercel.mjs",
    "talk_langchain.py",
    "talk_llamaindex.py",
    "talk_responses.py",
    "talk_responses.mjs",
    "talk_vercel_responses.mjs",
    "talk_agents.py",
)


@pytest.fixture
def model(standing_model: OpenAIServer) -> OpenAIServer:
    standing_model.clear()
    return standing_model


@pytest.fixture
def service(live_service: LiveService) -> LiveService:
    live_service.companion_config = {
        "ingestion": {"provider": "offline"},
        "context": {"provider": "openai"},
        "chat": {"tools": []},
    }
    live_service.new_relationships(1)
    return live_service


def in_node(file: Path) -> list[str]:
    """The command that runs a copy of it, beside the packages."""
    return [str(node()), str(shutil.copy(file, node_with()))]


def run(service: LiveService, command: list[str], said: list[str], *, fed: str = "") -> list[str]:
    """The lines that the program printed."""
    told = {"BASE_URL": f"{service.web.url}/v1", "KEY": service.new_api_key(), "SAID": json.dumps(said)}
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    done = subprocess.run(
        command, env={**kept, **told}, input=fed, capture_output=True, text=True, timeout=120, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_client_talks_and_is_remembered(service: LiveService, model: OpenAIServer, program: str) -> None:
    model.push({"tool_calls": [{"name": "weather", "arguments": {"city": "Porto"}}], "match": "weather"})
    file = HERE / program
    needed = AGENTS if program == "talk_agents.py" else PYTHON
    command = in_node(file) if file.suffix == ".mjs" else [str(python_with(*needed)), str(file)]
    turns = Turn.objects.filter(project_id=service.project.id)

    replies = run(service, command, TOLD)
    service.wait_until_settled(list(turns.all()))  # a copy, as more are to come
    asked: Any = {"model": "ada", "messages": [{"role": "user", "content": ASKED}]}
    client_of(service).chat.completions.create(**asked)

    assert len(replies) == 4 and all(json.loads(reply) for reply in replies)
    system = model.requests[-1].body["messages"][0]["content"]
    assert "Porto" in system and "peanuts" in system and "Ana" in system
    assert turns.count() == 6 and not turns.filter(interrupted=True).exists()
    assert messages(service, role="tool", content="sunny").exists()


def program_of_the_guide(language: str) -> str:
    page = (ROOT / "docs" / "how-to" / "chat-with-any-openai-client.md").read_text()
    found = re.search(rf"```{language}\n(.*?)```", page, re.DOTALL)
    assert found, f"the page has no program in {language}"
    assert len(found[1].splitlines()) <= 30
    return found[1]


@pytest.mark.parametrize(("language", "ending"), [("python", "py"), ("typescript", "ts")])
def test_the_guides_program_runs_as_it_stands(
    service: LiveService, model: OpenAIServer, language: str, ending: str, tmp_path: Path
) -> None:
    file = tmp_path / f"chat.{ending}"
    file.write_text(program_of_the_guide(language))
    command = [sys.executable, str(file)] if ending == "py" else in_node(file)

    lines = run(service, command, [], fed="I live in Porto.\nWhere do I live?\n")

    assert "You said:" in "\n".join(lines)
    assert messages(service, role="user").count() == 2


def client_of(service: LiveService) -> openai.OpenAI:
    return openai.OpenAI(
        base_url=f"{service.web.url}/v1",
        api_key=service.new_api_key(),
        default_headers={"X-Rapport-User": "maya"},
        max_retries=0,
    )


def messages(service: LiveService, **fields: str) -> QuerySet[Message]:
    return Message.objects.filter(project_id=service.project.id, **fields)


def test_what_goes_wrong_is_raised_by_openais_sdk_as_from_openai(
    service: LiveService, model: OpenAIServer
) -> None:
    client = client_of(service)

    def said(text: str = "I live in Porto.", **more: Any) -> str:
        asked = {"model": "ada", "messages": [{"role": "user", "content": text}], "stream": True, **more}
        with client.chat.completions.create(**asked) as chunks:
            return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)

    with pytest.raises(openai.NotFoundError, match="nobody"):
        said(model="nobody")
    with pytest.raises(openai.BadRequestError):
        said(messages=[])
    with pytest.raises(openai.AuthenticationError):
        client.with_options(api_key="rk_wrong").models.list()
    model.push({"pieces": ["One", " two"], "error": 2})
    with pytest.raises(openai.APIError, match="broke off"):
        said("I like tea.")

    model.push({"pieces": [f"word{number} " for number in range(200)], "pause": 0.02})
    asked: Any = {"model": "ada", "messages": [{"role": "user", "content": "I like plums."}], "stream": True}
    with client.chat.completions.create(**asked) as left:
        next(iter(left))
    turns = Turn.objects.filter(project_id=service.project.id, interrupted=True)
    wait_until(lambda: turns.count() == 2, what="both broken replies to be kept")
    assert messages(service, role="user", content="I like plums.").exists()

    model.clear()
    model.push({"status": 429, "retry_after": 1})
    with pytest.raises(openai.RateLimitError):
        said()

    def is_asked_again() -> bool:
        with suppress(openai.RateLimitError):
            said()
            return True
        return False

    wait_until(is_asked_again, what="the provider's second to be over")
