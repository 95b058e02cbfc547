"""Each adapter with its framework at a pinned version, in an environment of its own, against the real service."""

import re
import shutil
from pathlib import Path

import pytest

from tests.acceptance.clients.conftest import FRAMEWORKS, Door
from tests.acceptance.processes import ROOT
from tests.environments import python_with, sdist

EXAMPLES = ROOT / "clients/python/examples"
HERE = Path(__file__).parent
AGENTS = ("openai-agents==0.24.0", "pytest==9.2.0", "pytest-asyncio==1.5.0")
# What a framework's own tests of its memory interface are in: its source on PyPI.
SOURCES = {
    "langgraph": (
        "langgraph-checkpoint-postgres",
        "3.2.0",
        "dffef0e6822d7c614019f7f2c4bdbef42859746aee2d3e6d9d9747cf3744ca90",
    ),
    "openai_agents": (
        "openai-agents",
        "0.24.0",
        "4b4b285f4fed81fdf1b4ac426a9101658d9cd29b4fb1aaeee18f639b77e704e3",
    ),
}


def python_of(wheel: Path, framework: str) -> Path:
    return python_with(str(wheel), *(AGENTS if framework == "openai_agents" else FRAMEWORKS))


@pytest.mark.parametrize(
    ("framework", "said"),
    [
        ("google_adk", "Lisbon"),
        ("llama_index", "allergic to peanuts"),
        ("langgraph", "allergic to peanuts"),
        ("openai_agents", "I moved to Lisbon last week."),
    ],
)
def test_its_example_runs_and_is_short(door: Door, wheel: Path, framework: str, said: str) -> None:
    example = EXAMPLES / f"{framework}_memory.py"
    assert len(example.read_text().splitlines()) <= 30
    assert said in door.run(python_of(wheel, framework), example)


@pytest.mark.parametrize("framework", ["google_adk", "llama_index"])
def test_it_keeps_what_its_framework_promises(door: Door, wheel: Path, framework: str) -> None:
    told = door.run(python_of(wheel, framework), HERE / "adapters" / f"{framework}_promises.py")
    assert told.strip().endswith("whole")


@pytest.mark.parametrize(("framework", "least"), [("langgraph", 59), ("openai_agents", 53)])
def test_it_passes_its_frameworks_own_tests(
    door: Door, wheel: Path, tmp_path: Path, framework: str, least: int
) -> None:
    source = sdist(*SOURCES[framework])
    # Where no package `tests` of ours lies above it.
    tests = shutil.copy(HERE / "adapters" / f"{framework}_promises.py", tmp_path)
    command: list[str | Path] = [
        python_of(wheel, framework),
        "-m",
        "pytest",
        "-q",
        "-c",
        "/dev/null",
    ]
    told = door.run(*command, "-p", "no:cacheprovider", tests, folder=tmp_path, SOURCE=str(source))
    passed = re.search(r"^(\d+) passed", told, re.MULTILINE)
    assert passed and int(passed[1]) >= least, told
