"""mem0's own clients, as they are on PyPI and npm, against the real service with RAPPORT_MEM0 set."""

import shutil
from pathlib import Path

from tests.acceptance.clients.conftest import FRAMEWORKS, Door
from tests.environments import node, node_with, python_with

HERE = Path(__file__).parent
QUIET = {"MEM0_TELEMETRY": "false"}


def test_the_python_client(door: Door, wheel: Path, tmp_path: Path) -> None:
    python = python_with(str(wheel), *FRAMEWORKS)
    told = door.run(python, HERE / "mem0_client.py", folder=tmp_path, **QUIET, MEM0_DIR=str(tmp_path))
    assert told.strip().endswith("whole")


def test_the_npm_client(door: Door) -> None:
    folder = node_with()
    shutil.copy(HERE / "mem0_client.mjs", folder)
    assert door.run(node(), "mem0_client.mjs", folder=folder, **QUIET).strip().endswith("whole")
