"""mem0's own clients, as they are on PyPI and npm, against the real service with RAPPORT_MEM0 set."""

import shutil
from pathlib import Path

import pytest

from tests.acceptance.clients.conftest import Door
from tests.acceptance.service import LiveService
from tests.environments import node, node_with, python_with

HERE = Path(__file__).parent
QUIET = {"MEM0_TELEMETRY": "false"}


@pytest.fixture
def facade(live: LiveService, tmp_path: Path) -> Door:
    live.start_worker()
    live.start_web(RAPPORT_MEM0="1")
    live.wait_until_ready()
    return Door(live.web.url, live.new_api_key())


def test_the_python_client(facade: Door, tmp_path: Path) -> None:
    python = python_with("mem0ai==2.2.1", where="mem0ai")
    told = facade.run(python, HERE / "mem0_client.py", folder=tmp_path, **QUIET, MEM0_DIR=str(tmp_path))
    assert told.strip().endswith("whole")


def test_the_npm_client(facade: Door) -> None:
    folder = node_with({"mem0ai": "3.3.1"}, where="mem0ai of npm")
    shutil.copy(HERE / "mem0_client.mjs", folder)
    assert facade.run(node(), "mem0_client.mjs", folder=folder, **QUIET).strip().endswith("whole")
