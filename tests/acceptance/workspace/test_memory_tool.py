"""Anthropic's memory tool, as the anthropic SDK itself tests and drives it, on our files."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.processes import ROOT
from tests.acceptance.service import LiveService
from tests.environments import sdist

SDIST = ("anthropic", "2.12.0", "571e6d250bcd6bbaf5fd5f3c764b8e11af9901ad2e44b025f8e773c6cc7a7173")
TESTS = "tests/lib/tools/memory_tools/test_filesystem.py"
# About folders and links of a disk, which no tree of ours has; its way to look into them.
OF_A_DISK = "not symlink and not umask and not validate_path"
LEAST = 74
ONE_LOOP = """import pytest

@pytest.fixture
def anyio_backend():
    return "asyncio"
"""


@pytest.fixture
def sdk_tests(tmp_path: Path) -> Path:
    """The SDK's own file, from its source distribution on PyPI: pinned by hash."""
    folder = tmp_path / "sdk"
    folder.mkdir()
    shutil.copy(sdist(*SDIST) / TESTS, folder)
    (folder / "pytest.ini").write_text("[pytest]\nanyio_mode = auto\n")
    (folder / "conftest.py").write_text(ONE_LOOP)
    return folder


@pytest.fixture
def service(live: LiveService) -> Iterator[LiveService]:
    live.start_web(RAPPORT_MAX_FILE_BYTES="6000000", RAPPORT_MAX_BODY_BYTES="40000000")
    live.web.wait_until_it_answers()
    yield live


def test_the_sdks_own_tests_pass_on_our_files(service: LiveService, sdk_tests: Path) -> None:
    service.new_relationships(1)
    key = service.new_api_key()
    known = {
        "RAPPORT_URL": service.web.url,
        "RAPPORT_API_KEY": key,
        "PYTHONPATH": f"{ROOT}:{ROOT / 'clients/python/src'}",
    }
    plugin = ["-p", "tests.acceptance.workspace.memory_tool_backend"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *plugin, "-p", "no:django", "-p", "no:cacheprovider",
         "-k", OF_A_DISK, "test_filesystem.py"],
        cwd=sdk_tests, env={**os.environ, **known}, capture_output=True, text=True,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout[-3000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed and int(passed[1]) >= LEAST, done.stdout[-500:]
