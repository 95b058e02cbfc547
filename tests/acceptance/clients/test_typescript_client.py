"""The TypeScript client: packed as for npm, installed from that, and run by Node's own tests against the real service."""

import shutil
from pathlib import Path

import pytest

from tests.acceptance.clients.conftest import Door
from tests.acceptance.processes import ROOT
from tests.environments import node, node_with, packed

VERCEL = {"ai": "7.0.173"}


@pytest.fixture(scope="session")
def node_folder() -> Path:
    """Holds the client, built with all of TypeScript's strictness, beside the Vercel AI SDK."""
    tarball = packed(ROOT / "clients/typescript", ROOT / "docs/reference/openapi.json")
    return node_with({"rapport-client": str(tarball), **VERCEL}, where="The npm registry")


def test_its_own_tests_pass_against_the_real_service(door: Door, node_folder: Path) -> None:
    shutil.copy(ROOT / "clients/typescript/test/client.test.mjs", node_folder)
    told = door.run(node(), "--test", "--test-reporter=tap", "client.test.mjs", folder=node_folder)
    assert "# fail 0" in told
    assert "# skipped 0" in told
