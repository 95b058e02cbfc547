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
FOLDERS, LINKS = "our folders have no modes", "our files are no links, and nothing on our disk can become one"
NOT_RUN = {  # of both classes, and why
    "test_mkdir_parents_not_world_writable_under_permissive_umask": FOLDERS,
    "test_read_rejects_symlink_created_after_validation": LINKS,
    "test_read_rejects_file_replaced_with_symlink_before_open": LINKS,
    "test_view_rejects_directory_symlink_created_after_validation": LINKS,
    "test_symlink_validation_reject_symlink_pointing_outside_memories": LINKS,
    "test_view_lists_symlinks_only_when_they_stay_inside_memories": LINKS,
    "test_symlink_validation_reject_creating_files_through_symlink_pointing_outside": LINKS,
    "test_symlink_validation_reject_parent_directory_that_is_symlink_pointing_outside": LINKS,
}
NOT_RUN_ASYNC = NOT_RUN | {"test_validate_path_returns_resolved_path_not_symlink_target": LINKS}
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
         *(f"--deselect=test_filesystem.py::TestBetaLocalFilesystemMemoryTool::{name}" for name in NOT_RUN),
         *(f"--deselect=test_filesystem.py::TestBetaAsyncLocalFilesystemMemoryTool::{name}" for name in NOT_RUN_ASYNC),
         "test_filesystem.py"],
        cwd=sdk_tests, env={**os.environ, **known}, capture_output=True, text=True,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout[-3000:]
    written = (sdk_tests / "test_filesystem.py").read_text()
    assert [name for name in NOT_RUN_ASYNC if f"def {name}(" not in written] == []
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed and int(passed[1]) >= LEAST, done.stdout[-500:]
