"""`make demo` on a machine that has never seen Rapport, as far as one test can play that."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import httpx
import psutil
import pytest

from demo.management.commands.demo import CONVERSATION
from tests.acceptance.database import LiveDatabase
from tests.acceptance.processes import ROOT, environment, free_port, status_of
from tests.waiting import PATIENCE

OF_ITS_OWN = LiveDatabase({}, {"DATABASE_URL": ""})  # the embedded one, in the demo's own data folder


class Demo:
    """One data folder, and the demo played in it."""

    def __init__(self, data: Path) -> None:
        self.data, self.port = data, free_port()
        self._environment = environment(OF_ITS_OWN, RAPPORT_DATA_DIR=str(data), RAPPORT_WEB_PROCESSES="1")

    def manage(self, *command: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "manage.py", *command],
            cwd=ROOT,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=240 * PATIENCE,
        )

    def play(self, *options: str) -> str:
        done = self.manage("demo", "--port", str(self.port), *options)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    demo = Demo(tmp_path_factory.mktemp("demo"))
    yield demo
    demo.manage("stop")


@pytest.fixture(scope="module")
def first(demo: Demo) -> str:
    """What the first run shows; it leaves the service up."""
    return demo.play()


@pytest.fixture(scope="module")
def again(demo: Demo, first: str) -> str:
    """What the second run shows."""
    return demo.play()


def shown(output: str, label: str) -> str:
    found = re.search(rf"^  {label} +(\S+)$", output, re.MULTILINE)
    assert found, output
    return found[1]


def ask(output: str, path: str) -> Any:
    headers = {"Authorization": f"Bearer {shown(output, 'API key')}"}
    with urlopen(Request(f"{shown(output, 'address')}/v1{path}", headers=headers)) as answer:
        return json.load(answer)


def relationships(output: str) -> list[Any]:
    found: list[Any] = ask(output, "/relationships")["items"]
    return found


def entries(output: str) -> list[str]:
    [relationship] = relationships(output)
    return [
        entry["content"] for entry in ask(output, f"/relationships/{relationship['id']}/entries")["items"]
    ]


def test_it_shows_what_each_turn_changed(first: str) -> None:
    for line in (
        "  3  09:18  I live in Porto, in a tiny flat with a big window.\n         + identity     Lives in Porto\n",
        "         - preference   Hates treadmills\n",
        "         ~ identity     Is 35 years old",
        "                        was: Is 34 years old",
    ):
        assert line in first
    assert re.search(r"^4[4-9] turns in [\d.]+ s: \d+ added, \d+ updated, \d+ deleted", first, re.MULTILINE)


def test_it_shows_the_scratchpad_and_the_context_with_its_tokens(first: str) -> None:
    assert re.search(r"^What is remembered of Maya: \d+ entries$", first, re.MULTILINE)
    assert re.search(r"^memory +\d+ +[\d.]+ +whole scratchpad, newest first *$", first, re.MULTILINE)
    assert re.search(r"^total +\d+", first, re.MULTILINE)
    assert "system: You are Ada" in first


def test_it_asks_once_through_the_chat_endpoint_and_lets_an_agent_work_in_files(first: str) -> None:
    chat = first.partition("A message by POST /v1/chat/completions")[2]
    assert re.search(r"^Ada: \S", chat, re.MULTILINE), chat
    assert re.search(r"^(  (add|update|delete) |It changed nothing in memory)", chat, re.MULTILINE), chat
    agent = first.partition("An agent works at a task, in files")[2]
    assert re.search(r"^  \d+\. \S+", agent, re.MULTILINE) and "The session is done." in agent, agent
    assert re.search(r"^  memory/hot_context\.md  \d+ bytes$", agent, re.MULTILINE), agent
    assert len(agent.partition("Hot context, which chat is shown from now on")[2].strip()) > 40


def test_it_says_which_provider_is_in_use_and_how_to_have_another(first: str) -> None:
    assert "Provider: offline" in first
    assert "GEMINI_API_KEY=... make demo" in first


def test_it_leaves_the_service_up(first: str) -> None:
    assert status_of(f"{shown(first, 'address')}/readyz/worker") == 200
    assert status_of(shown(first, "API docs")) == 200


def test_what_is_remembered_in_the_end_is_right(first: str) -> None:
    told = json.loads(CONVERSATION.read_text())
    remembered = entries(first)
    unmatched = [
        text for text in remembered if not any(re.fullmatch(fact, text) for fact in told["expected"])
    ]
    missing = [
        fact for fact in told["expected"] if sum(bool(re.fullmatch(fact, text)) for text in remembered) != 1
    ]
    assert (unmatched, missing) == ([], [])
    assert not [word for word in told["forgotten"] if word in " ".join(remembered)]


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl here")
def test_the_request_it_offers_works_as_pasted(first: str) -> None:
    command = first[first.index("curl -s ") :]
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=30 * PATIENCE)
    assert "<rapport_memory>" in json.loads(done.stdout)["system"]


def test_the_key_is_kept_for_its_owner_only(demo: Demo, first: str) -> None:
    assert (demo.data / "demo.json").stat().st_mode & 0o077 == 0
    assert shown(first, "API key") in (demo.data / "demo.json").read_text()


def test_it_says_who_may_open_the_admin_ui(demo: Demo, first: str) -> None:
    address = shown(first, "admin UI")
    with httpx.Client(base_url=address, follow_redirects=True) as browser:
        browser.get("sign-in/")
        answer = browser.post(
            "sign-in/",
            data={
                "username": shown(first, "email"),
                "password": shown(first, "password"),
                "csrfmiddlewaretoken": browser.cookies["csrftoken"],
            },
        )

    assert str(answer.url) == address
    assert "Maya" in answer.text
    assert (demo.data / "operator.json").stat().st_mode & 0o077 == 0


def test_it_can_be_played_again(first: str, again: str) -> None:
    assert "was here before, and was erased first" in again
    assert shown(again, "API key") == shown(first, "API key")
    assert shown(again, "password") == shown(first, "password")
    assert len(relationships(again)) == 1


def test_another_file_is_played_in_batches_under_another_recipe_beside_it(
    demo: Demo, again: str, tmp_path: Path
) -> None:
    lines = [
        {"speaker": speaker, "text": f"Line {line} of {speaker}."}
        for line in range(30)
        for speaker in ("Ann", "Bo")
    ]
    talk = {
        "speaker_a": "Ann",
        "speaker_b": "Bo",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [*lines, {"speaker": "Ann", "text": "I moved to Lisbon yesterday."}],
    }
    (tmp_path / "my talk.json").write_text(json.dumps({"conversation": talk}))
    before = len(relationships(again))

    output = demo.play("--recipe", "two_call", "--conversation", str(tmp_path / "my talk.json"))

    assert "31 turns in" in output
    assert "Recipe:   two_call." in output
    assert "Embedder: " in output
    assert re.search(r"^In the archive of Ann, .*: \d+ entries$", output, re.MULTILINE), output
    assert re.search(r"^memory +\d+ +[\d.]+ +retrieved \d+ for .*, ranked by cosine", output, re.MULTILINE)
    assert "Why it was shown these" in output
    assert re.search(r"^Lives in Lisbon \(moved .*\) +retrieved by cosine ", output, re.MULTILINE), output
    assert len(relationships(output)) == before + 1, "the other demo's person is still there"


def test_stop_leaves_nothing_running(demo: Demo, again: str) -> None:
    pid = json.loads((demo.data / "serve.json").read_text())["pid"]
    family = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]

    done = demo.manage("stop")

    assert done.stdout.splitlines()[1:] == ["The embedded database has stopped."]
    assert [process for process in family if process.is_running()] == []
    assert not (demo.data / "serve.json").exists()
    assert not (demo.data / "postgres" / "postmaster.pid").exists()
