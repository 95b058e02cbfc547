"""mem0's own clients, as they are on PyPI and npm, against the real service with RAPPORT_MEM0 set."""

import re
import shutil
from pathlib import Path

import pytest

from memory.models import ScratchpadEntry
from relationships.services.api_keys import create_api_key
from relationships.services.projects import create_project
from tests.acceptance.clients.conftest import FRAMEWORKS, Door
from tests.acceptance.drills.talk import scaled
from tests.acceptance.service import TESTER, LiveService
from tests.environments import node, node_with, python_with

HERE = Path(__file__).parent
QUIET = {"MEM0_TELEMETRY": "false"}
PEOPLE = scaled(24, 1000)


def test_the_python_client(door: Door, wheel: Path, tmp_path: Path) -> None:
    python = python_with(str(wheel), *FRAMEWORKS)
    told = door.run(python, HERE / "mem0_client.py", folder=tmp_path, **QUIET, MEM0_DIR=str(tmp_path))
    assert told.strip().endswith("whole")


def test_the_npm_client(door: Door) -> None:
    folder = node_with()
    shutil.copy(HERE / "mem0_client.mjs", folder)
    assert door.run(node(), "mem0_client.mjs", folder=folder, **QUIET).strip().endswith("whole")


@pytest.mark.drill
def test_many_people_at_once_find_their_own_and_nobody_elses(
    live_service: LiveService, door: Door, wheel: Path, tmp_path: Path
) -> None:
    python = python_with(str(wheel), *FRAMEWORKS)
    other = create_project(name="Strangers", by=TESTER)
    key = create_api_key(project_id=other.id, name="test", scopes=("read", "write", "admin"), by=TESTER)[1]
    program, settings = HERE / "mem0_people.py", {**QUIET, "PEOPLE": str(PEOPLE), "STRANGERS_KEY": key}

    told = door.run(python, program, folder=tmp_path, **settings, MEM0_DIR=str(tmp_path))

    print(told)
    assert told.strip().endswith("whole")
    entries = ScratchpadEntry.objects.filter(relationship__project_id=live_service.project.id)
    stand = list(entries.values_list("content", "relationship__user__external_id"))
    assert len(stand) >= 3 * PEOPLE
    assert all(re.findall(r"\d+", content) == re.findall(r"\d+", user) for content, user in stand)
