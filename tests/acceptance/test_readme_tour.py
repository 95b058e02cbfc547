"""The README's tour, taken from the README and pasted into a shell, against the real service."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.processes import ROOT
from tests.acceptance.service import LiveService

MOST_LINES = 10


def tour() -> str:
    """The first shell block below the heading."""
    below = (ROOT / "README.md").read_text().split("## A tour in ten lines", 1)[1]
    found = re.search(r"```sh\n(.*?)```", below, re.DOTALL)
    assert found, "README.md shows no tour"
    return found[1]


@pytest.fixture
def place(live_service: LiveService, tmp_path: Path) -> Path:
    """A folder as `make demo` leaves it behind: the key and the address are in `.data`."""
    data = tmp_path / "place" / ".data"
    data.mkdir(parents=True)
    key = {"project_id": str(live_service.project.id), "key_id": "", "key": live_service.new_api_key()}
    (data / "demo.json").write_text(json.dumps(key))
    (data / "serve.json").write_text(json.dumps({"pid": 1, "url": live_service.web.url}))
    return data.parent


def test_the_tour_has_at_most_ten_lines() -> None:
    assert len(tour().splitlines()) <= MOST_LINES


def test_the_tour_works_as_pasted_and_can_be_pasted_again(place: Path) -> None:
    if shutil.which("curl") is None:
        pytest.skip("curl is not on this machine, and the tour is made of it")
    companion, turn, entries, context, history = paste(tour(), place)
    remembered = [line["content"] for line in turn["remembered"]]
    assert companion["slug"] == "chef"
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


def paste(lines: str, place: Path) -> list[Any]:
    """The answers that a shell in `place` prints, one JSON a line."""
    done = subprocess.run(["sh", "-eu"], cwd=place, input=lines, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]
