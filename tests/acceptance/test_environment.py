"""scripts/environment.py, which every `make` command runs first, in a folder of its own and without a network."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.acceptance.processes import ROOT
from tests.waiting import PATIENCE

SCRIPT = ROOT / "scripts" / "environment.py"


def checkout(folder: Path, requirements: str = "") -> Path:
    """The least of a checkout that the script needs."""
    (folder / "scripts").mkdir(parents=True)
    shutil.copy(SCRIPT, folder / "scripts")
    (folder / "requirements.txt").write_text(requirements)
    (folder / "requirements-dev.txt").write_text("-r requirements.txt\n")
    return folder


def run(folder: Path, *levels: str, **settings: str) -> "subprocess.CompletedProcess[str]":
    """Run it there, with no package index in reach."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    nowhere = {"PIP_CONFIG_FILE": os.devnull, "PIP_INDEX_URL": "http://127.0.0.1:9/", "PIP_RETRIES": "1"}
    return subprocess.run(
        [sys.executable, "scripts/environment.py", *levels],
        cwd=folder,
        env={**kept, **nowhere, **settings},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120 * PATIENCE,
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout, in a folder with a space in its name, whose environment is made."""
    folder = checkout(tmp_path_factory.mktemp("a checkout") / "of mine")
    done = run(folder)
    assert done.returncode == 0, done.stderr
    return folder


def inode(folder: Path) -> int:
    return (folder / ".venv" / "pyvenv.cfg").stat().st_ino


def test_the_environment_is_made_once(made: Path) -> None:
    before = inode(made)
    done = run(made)
    assert (done.returncode, done.stdout) == (0, "")
    assert inode(made) == before


def test_a_checkout_that_links_to_it_leaves_it_as_it_is(made: Path, tmp_path: Path) -> None:
    before = inode(made)
    linked = checkout(tmp_path / "linked")
    (linked / ".venv").symlink_to(made / ".venv")
    done = run(linked)
    assert (done.returncode, done.stdout) == (0, "")
    assert inode(made) == before


def test_other_requirements_are_brought_in_and_after_an_interrupted_install_no_level_is_ready_until_one_ends_well(
    made: Path,
) -> None:
    before = inode(made)
    (made / "requirements.txt").write_text("# nothing, said differently\n")
    done = run(made, "dev")
    assert done.returncode == 0, done.stderr
    assert "Bringing the environment in .venv up to date" in done.stdout
    assert inode(made) == before

    (made / "requirements-dev.txt").write_text("-r requirements.txt\na-package-of-nobody==1.0\n")
    done = run(made, "dev")
    assert done.returncode == 1
    assert "a-package-of-nobody" in done.stderr
    assert "HTTPS_PROXY" in done.stderr

    (made / "requirements-dev.txt").write_text("-r requirements.txt\n")
    assert "up to date" in run(made, "run").stdout, "what was taken away meanwhile would be missing"
    assert "up to date" in run(made, "dev").stdout


def test_a_missing_venv_is_named_with_the_command_that_installs_it(tmp_path: Path) -> None:
    folder = checkout(tmp_path / "checkout")
    stub = tmp_path / "stub"
    stub.mkdir()
    (stub / "ensurepip.py").write_text("raise ImportError")
    done = run(folder, PYTHONPATH=str(stub))
    assert done.returncode == 1
    assert f"apt install python{sys.version_info[0]}.{sys.version_info[1]}-venv" in done.stderr
    assert not (folder / ".venv").exists()
