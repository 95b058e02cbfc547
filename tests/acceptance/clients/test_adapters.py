"""Each adapter with its framework at a pinned version, in an environment of its own, against the real service."""

from pathlib import Path

import pytest

from tests.acceptance.clients.conftest import Door
from tests.acceptance.processes import ROOT
from tests.environments import python_with

EXAMPLES = ROOT / "clients/python/examples"
HERE = Path(__file__).parent
FRAMEWORKS = {
    "google_adk": "google-adk==2.13.0",
    "llama_index": "llama-index-core==0.14.25",
}


def python_of(wheel: Path, framework: str) -> Path:
    return python_with(str(wheel), FRAMEWORKS[framework], where=framework)


@pytest.mark.parametrize(
    ("framework", "said"), [("google_adk", "Lisbon"), ("llama_index", "allergic to peanuts")]
)
def test_its_example_runs_and_is_short(door: Door, wheel: Path, framework: str, said: str) -> None:
    example = EXAMPLES / f"{framework}_memory.py"
    assert len(example.read_text().splitlines()) <= 30
    assert said in door.run(python_of(wheel, framework), example)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_it_keeps_what_its_framework_promises(door: Door, wheel: Path, framework: str) -> None:
    told = door.run(python_of(wheel, framework), HERE / "adapters" / f"{framework}_promises.py")
    assert told.strip().endswith("whole")
