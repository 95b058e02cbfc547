"""The TypeScript client: packed as for npm, installed from that, and run by Node's own tests against the real service."""

import shutil

from tests.acceptance.clients.conftest import Door
from tests.environments import TYPESCRIPT, node, node_with, typescript_client


def test_its_own_tests_pass_against_the_real_service(door: Door) -> None:
    """Built with all of TypeScript's strictness, beside the Vercel AI SDK."""
    folder = node_with(typescript_client())
    shutil.copy(TYPESCRIPT / "test/client.test.mjs", folder)
    told = door.run(node(), "--test", "--test-reporter=tap", "client.test.mjs", folder=folder)
    assert "# fail 0" in told
    assert "# skipped 0" in told
