"""The README's tour and the guides' commands, taken from the pages and pasted into a shell, on the real service."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.processes import ROOT
from tests.acceptance.service import LiveService
from tests.waiting import PATIENCE

MOST_LINES = 10
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


def test_the_tour_has_at_most_ten_lines() -> None:
    assert len(tour().splitlines()) <= MOST_LINES


def test_the_tour_works_as_pasted_and_can_be_pasted_again(place: Path) -> None:
    companion, turn, entries, context, history = paste(tour(), place)
    remembered = [line["content"] for line in turn["remembered"]]
    assert companion["slug"] == "cook"
    assert turn["state"] == "applied"
    assert any("Lisbon" in content for content in remembered)
    assert any("peanut" in content for content in remembered)
    assert [entry["content"] for entry in entries["items"]] == remembered[::-1]
    assert "peanut" in context["rendered"]
    assert context["rendered"].endswith("What can I cook tonight?")
    assert {change["turn_id"] for change in history["items"]} == {turn["id"]}

    companion, turn, entries_again, *_ = paste(tour(), place)
    assert companion["type"] == "urn:rapport:problem:already_exists"
    assert turn["state"] == "applied"
    assert entries_again == entries


@pytest.mark.parametrize("first", ["the tour", "the quickstart"])
def test_the_tour_and_the_quickstart_work_one_after_the_other(place: Path, first: str) -> None:
    quickstart = "\n".join(blocks("docs/quickstart.md", "## 2", "\n## Where to go"))
    pages = {"the tour": tour(), "the quickstart": quickstart}
    order = [first, *(page for page in pages if page != first)]

    answers = {page: paste(pages[page], place) for page in order}

    for page in order:
        problems = [
            one for one in answers[page] if str(one.get("type", "")).startswith("urn:rapport:problem:")
        ]
        assert not problems, f"{page}, after {first}: {problems}"
    _, relationship, turn, context, found, entries, _ = answers["the quickstart"]
    assert relationship["user"]["display_name"] == "Sam"
    assert relationship["timezone"] == "Europe/Lisbon"
    assert context["rendered"].startswith("You are Ada, who cooks with Sam.")
    assert "allergic to peanuts" in json.dumps(found["messages"]), "the message, as no entry says it"
    assert [entry["content"] for entry in entries["items"]] == [
        line["content"] for line in turn["remembered"]
    ][::-1]


def test_the_commands_of_the_quickstart_and_the_guides_work(place: Path) -> None:
    known = "\n".join(blocks("docs/quickstart.md", "## 2", "## 4"))
    *_, turn, context, _, entries, history = paste(
        "\n".join([known, *blocks("docs/quickstart.md", "## 4", "")]), place
    )
    assert turn["state"] == "applied"
    assert context["rendered"]
    assert entries["items"] and history["items"]
    for message in MESSAGES:
        body = json.dumps({"messages": [{"role": "user", "content": message}]})
        paste(f"{known}\nrapport \"$SAM/turns?wait=10\" -d '{body}'", place)
    for guide in GUIDES:
        for block in blocks(f"docs/how-to/{guide}.md"):
            answers = paste(f"{known}\n{filled_in(block, known, place)}", place)
            kinds = [str(answer.get("type", "")) for answer in answers[2:]]
            problems = {kind.rsplit(":", 1)[-1] for kind in kinds if kind.startswith("urn:rapport:problem:")}
            assert problems <= SHOWN.get(guide, set()), f"{guide}: {block}\n{answers[2:]}"


def tour() -> str:
    """The first shell block below the heading."""
    found = re.search(r"```sh\n(.*?)```", part_of("README.md", "## A tour in ten lines", "\n## "), re.DOTALL)
    assert found is not None
    return found[1]


def blocks(page: str, start: str = "", end: str = "") -> list[str]:
    """The commands of a page, or of a part of it, that can be pasted here."""
    found = re.findall(r"```sh\n(.*?)```", part_of(page, start, end), re.DOTALL)
    return [block for block in found if PASTED.match(block)]


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
    done = subprocess.run(
        ["sh", "-eu"], cwd=place, input=lines, capture_output=True, text=True, timeout=60 * PATIENCE
    )
    assert done.returncode == 0, f"{lines}\n{done.stderr}"
    return [json.loads(line) for line in done.stdout.splitlines() if line.strip()]
