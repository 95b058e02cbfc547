"""The commands of the README, the quickstart and the guides, taken from the pages and pasted into a shell."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.processes import ROOT
from tests.acceptance.service import LiveService
from tests.environments import OPENAPI, node, npm_script, typescript_client
from tests.waiting import PATIENCE

MOST_LINES = 140  # of the README
DEMO = {"make demo", "make test"}  # tests/acceptance/test_demo.py
GUIDES = (
    "write-an-ingestion-prompt",
    "choose-when-turns-are-read",
    "find-out-why-it-remembered-that",
    "mend-a-memory",
    "confirm-held-deletions",
    "give-a-browser-a-token",
)
# Commands that can be pasted here; the others install, start or deploy something.
PASTED = re.compile(r"^(?:rapport|curl|[A-Z]+=)")
MESSAGES = (
    "I live in Lisbon.",
    "I am allergic to peanuts.",
    "I have a dog called Bruno.",
    "I work as a nurse.",
)
# Problems that a guide shows on purpose.
SHOWN = {
    "mend-a-memory": {"stale_version", "nothing_fits"},
    "confirm-held-deletions": {"already_decided"},
}

pytestmark = pytest.mark.skipif(
    shutil.which("curl") is None, reason="curl is not on this machine, and the pages are made of it"
)


@pytest.fixture
def place(live_service: LiveService, tmp_path: Path) -> Path:
    """A folder as `make demo` leaves it behind: the key and the address are in `.data`."""
    data = tmp_path / "place" / ".data"
    data.mkdir(parents=True)
    key = {"project_id": str(live_service.project.id), "key_id": "", "key": live_service.new_api_key()}
    (data / "demo.json").write_text(json.dumps(key))
    (data / "serve.json").write_text(json.dumps({"pid": 1, "url": live_service.web.url}))
    # The worker has read its first turn: the pages are not about how long a cold start takes.
    live_service.wait_until_settled([live_service.say(live_service.new_relationships(1)[0], "Hello!")])
    return data.parent


@pytest.fixture
def with_clients(place: Path, tmp_path: Path) -> dict[str, str]:
    """What a reader has beside the service: the folder of the clients, Python and Node."""
    typescript_client()  # skips where the registries can't be had
    left_out = shutil.ignore_patterns("node_modules", "dist", "*.tgz", "schema.ts", "__pycache__")
    shutil.copytree(ROOT / "clients", place / "clients", ignore=left_out)
    (place / "docs/reference").mkdir(parents=True)
    shutil.copy(OPENAPI, place / "docs/reference")
    npm = tmp_path / "npm"
    npm.write_text(f'#!/bin/sh\nexec "{node()}" "{npm_script()}" "$@"\n')
    npm.chmod(0o755)
    path = [tmp_path, node().parent, Path(sys.executable).parent, os.environ["PATH"]]
    return {"PATH": os.pathsep.join(map(str, path))}


def test_the_readme_is_short_and_each_of_its_commands_and_of_the_quickstarts_is_pasted_here() -> None:
    readme = (ROOT / "README.md").read_text()
    assert len(readme.splitlines()) <= MOST_LINES
    assert readme.count("![") == 1
    sections = [("README.md", "## From your program", "## Where"), ("docs/quickstart.md", "## 2", "\n## How")]
    pasted = [block for section in sections for block in shell_blocks(*section)]
    others = set(shell_blocks("README.md") + shell_blocks("docs/quickstart.md")) - set(pasted)
    assert {line.split("#")[0].strip() for block in others for line in block.splitlines()} == DEMO
    marked = re.findall(r"```(\w*)\n", readme + (ROOT / "docs/quickstart.md").read_text())
    assert set(marked) - {""} == {"sh", "json"}, "what is no command, and so is not pasted"


def test_the_readmes_three_programs_show_on_tuesday_what_was_said_on_monday(
    place: Path, with_clients: dict[str, str]
) -> None:
    """In three languages, with all that the clients need from PyPI and npm."""
    setup, *programs = shell_blocks("README.md", "## From your program", "## Where")
    marks = ["Is allergic to peanuts", "Ana", "Lives in Lisbon"]
    told = [shell(setup + program, place, **with_clients) for program in programs]
    curl = json.loads(told[0].splitlines()[-1])
    for system, mark in zip([curl["system"], *told[1:]], marks, strict=True):
        memory = system.partition("<rapport_memory>")[2].partition("</rapport_memory>")[0]
        assert mark in memory, system
    said = [message["content"] for message in curl["messages"]]
    assert said == ["Good morning!", "What can I eat before a run?"]


def test_the_quickstart_shows_on_tuesday_what_was_said_on_monday(place: Path) -> None:
    quickstart = "\n".join(blocks("docs/quickstart.md", "## 2", "\n## How"))
    for _ in range(2):
        answers = paste(quickstart, place)
        _, relationship, turn, _, context, found, *_ = answers
        assert relationship["user"]["display_name"] == "Sam"
        assert relationship["timezone"] == "Europe/Lisbon"
        assert context["rendered"].startswith("You are Ada, who cooks with Sam.")
        assert "- Ana is allergic to peanuts" in context["system"]
        assert not any("peanuts" in message["content"] for message in context["messages"])
        assert "How do you like it there?" in found["system"], "the message, as no entry says it"
    problems = [one["type"] for one in answers if str(one.get("type", "")).startswith("urn:rapport:problem:")]
    assert problems == ["urn:rapport:problem:already_exists"], "the second time there is the companion"
    assert turn["state"] == "applied"


def test_the_commands_of_the_guides_work_after_the_quickstarts(place: Path) -> None:
    known = "\n".join(blocks("docs/quickstart.md", "## 2", "## 4"))
    paste("\n".join([known, *blocks("docs/quickstart.md", "## 4", "")]), place)
    for message in MESSAGES:
        body = json.dumps({"messages": [{"role": "user", "content": message}]})
        paste(f"{known}\nrapport \"$SAM/turns?wait=10\" -d '{body}'", place)
    for guide in GUIDES:
        for block in blocks(f"docs/how-to/{guide}.md"):
            answers = paste(f"{known}\n{filled_in(block, known, place)}", place)
            kinds = [str(answer.get("type", "")) for answer in answers[2:]]
            problems = {kind.rsplit(":", 1)[-1] for kind in kinds if kind.startswith("urn:rapport:problem:")}
            assert problems <= SHOWN.get(guide, set()), f"{guide}: {block}\n{answers[2:]}"


def blocks(page: str, start: str = "", end: str = "") -> list[str]:
    """The commands of a page, or of a part of it, that can be pasted here."""
    return [block for block in shell_blocks(page, start, end) if PASTED.match(block)]


def shell_blocks(page: str, start: str = "", end: str = "") -> list[str]:
    return re.findall(r"```sh\n(.*?)```", part_of(page, start, end), re.DOTALL)


def part_of(page: str, start: str, end: str) -> str:
    text = (ROOT / page).read_text()
    begin = text.index(start) + len(start) if start else 0
    return text[begin : text.index(end, begin) if end else None]


def filled_in(block: str, known: str, place: Path) -> str:
    """The block with an ID of the right kind wherever it says `<entry id>`, as a reader would."""
    sources = {
        "<entry id>": "rapport $SAM/entries",
        "<turn id>": "rapport $SAM/turns",
        "<held id>": "rapport $SAM/held-deletions",
    }
    for blank, source in sources.items():
        if blank in block:
            block = block.replace(blank, paste(f"{known}\n{source}", place)[-1]["items"][0]["id"])
    if "<token id>" in block:
        made = paste(f'{known}\nrapport $SAM/tokens -d \'{{"scopes": ["read"]}}\'', place)[-1]
        block = block.replace("<token id>", made["id"])
    return block


def paste(lines: str, place: Path) -> list[Any]:
    """The answers that a shell in `place` prints, one JSON a line."""
    return [json.loads(line) for line in shell(lines, place).splitlines() if line.strip()]


def shell(lines: str, place: Path, **settings: str) -> str:
    done = subprocess.run(
        ["sh", "-eu"],
        cwd=place,
        env={**os.environ, **settings},
        input=lines,
        capture_output=True,
        text=True,
        timeout=300 * PATIENCE,
    )
    assert done.returncode == 0, f"{lines}\n{done.stdout}\n{done.stderr}"
    return done.stdout
