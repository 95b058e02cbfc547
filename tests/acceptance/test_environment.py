"""scripts/environment.py, which every `make` command runs first, in a folder of its own and without a network."""

import importlib.util
import os
import shutil
import stat
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.acceptance.processes import ROOT
from tests.waiting import PATIENCE

SCRIPT = ROOT / "scripts" / "environment.py"


def loaded() -> ModuleType:
    spec = importlib.util.spec_from_file_location("environment", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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


def test_other_requirements_are_brought_in_without_making_it_anew(made: Path) -> None:
    before = inode(made)
    (made / "requirements.txt").write_text("# nothing, said differently\n")
    done = run(made)
    assert done.returncode == 0, done.stderr
    assert "Bringing the environment in .venv up to date" in done.stdout
    assert inode(made) == before


def test_an_index_that_can_not_be_reached_is_said_so_and_the_next_try_goes_on(made: Path) -> None:
    (made / "requirements.txt").write_text("a-package-of-nobody==1.0\n")
    done = run(made)
    assert done.returncode == 1
    assert "The package index can't be reached." in done.stderr
    assert "HTTPS_PROXY" in done.stderr

    (made / "requirements.txt").write_text("")
    assert run(made).returncode == 0


@pytest.mark.parametrize("levels", [("run", "dev"), ("dev", "run")], ids=["demo then test", "test then demo"])
def test_each_level_is_made_once_and_dev_holds_run(made: Path, levels: tuple[str, str]) -> None:
    (made / "requirements.txt").write_text(f"# {levels}\n")
    said = [run(made, level).stdout for level in levels]
    assert [bool(text) for text in said] == [True, levels == ("run", "dev")]
    assert [run(made, level).stdout for level in levels] == ["", ""]


def test_after_an_interrupted_install_no_level_is_ready_until_one_ends_well(made: Path) -> None:
    assert run(made, "dev").returncode == 0
    (made / "requirements-dev.txt").write_text("-r requirements.txt\na-package-of-nobody==1.0\n")
    assert run(made, "dev").returncode == 1

    (made / "requirements-dev.txt").write_text("-r requirements.txt\n")
    assert "up to date" in run(made, "run").stdout, "what was taken away meanwhile would be missing"
    assert "up to date" in run(made, "dev").stdout


def wheel(folder: Path, name: str, version: str, file: str, text: str = "", mode: int = 0o644) -> None:
    """A wheel that pip takes: one file, and the least of metadata."""
    info = f"{name}-{version}.dist-info"
    files = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": "",
    }
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as archive:
        placed = zipfile.ZipInfo(file)
        placed.external_attr = (stat.S_IFREG | mode) << 16
        archive.writestr(placed, text)
        for path, content in files.items():
            archive.writestr(path, content)


@pytest.mark.parametrize(
    ("name", "status", "mode", "by_pip"),
    [("one", 0, 0o755, False), ("two", 1, 0o755, True), ("three", 0, 0o644, True)],
    ids=["uv works", "uv fails", "uv can't be run"],
)
def test_uv_installs_the_rest_and_pip_does_where_it_fails(
    made: Path, tmp_path: Path, name: str, status: int, mode: int, by_pip: bool
) -> None:
    uv, version = loaded().UV.split("==")
    subprocess.run([made / ".venv" / "bin" / "pip", "uninstall", "--quiet", "--yes", uv], check=True)
    script = f'#!/bin/sh\necho "$@" "$UV_DEFAULT_INDEX"\nexit {status}\n'
    wheel(tmp_path, uv, version, f"uv-{version}.data/scripts/uv", script, mode)
    wheel(tmp_path, name, "1", f"{name}.py")
    (made / "requirements.txt").write_text(f"{name}==1  # why\n")

    done = run(made, PIP_FIND_LINKS=str(tmp_path))

    assert done.returncode == 0, done.stderr
    assert bool(list(made.glob(f".venv/lib/*/site-packages/{name}.py"))) == by_pip
    log = (made / ".venv" / "install.log").read_text()
    asked = "pip install --python" in log and "http://127.0.0.1:9/" in log
    assert asked == (mode == 0o755), "uv asks the index that pip was told to ask"


def test_a_missing_venv_is_named_with_the_command_that_installs_it(tmp_path: Path) -> None:
    folder = checkout(tmp_path / "checkout")
    stub = tmp_path / "stub"
    stub.mkdir()
    (stub / "ensurepip.py").write_text("raise ImportError")
    done = run(folder, PYTHONPATH=str(stub))
    assert done.returncode == 1
    assert f"apt install python{sys.version_info[0]}.{sys.version_info[1]}-venv" in done.stderr
    assert not (folder / ".venv").exists()


def test_an_old_python_hands_over_to_a_newer_one() -> None:
    names: list[str] = []

    def which(name: str) -> str | None:
        names.append(name)
        return "/usr/bin/python3.12" if name == "python3.12" else None

    assert loaded().wanted_python((3, 9), which) == "/usr/bin/python3.12"
    assert names[-1] == "python3.12"
    assert loaded().wanted_python((3, 11), which) is None


def test_an_old_python_alone_is_told_what_to_install() -> None:
    with pytest.raises(SystemExit) as left:
        loaded().wanted_python((3, 9), lambda name: None)
    assert "Rapport needs Python 3.11 or newer; this one is 3.9." in str(left.value)
    assert "apt install python3.11 python3.11-venv" in str(left.value)


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        ("ERROR: [Errno 28] No space left on device", "The disk is full."),
        (
            "Temporary failure in name resolution\nERROR: No matching distribution found for x==1",
            "can't be reached",
        ),
        (
            "ERROR: No matching distribution found for some-wheel==0.6.0 (from -r r.txt)",
            "no 'some-wheel==0.6.0' for",
        ),
        ("something else", "could not be installed"),
    ],
    ids=["disk", "network", "package", "other"],
)
def test_why_pip_failed_is_said_in_a_sentence(output: str, sentence: str) -> None:
    explained: Any = loaded().explain(output)
    assert sentence in explained
    assert output.splitlines()[-1] in explained


def test_make_alone_lists_its_commands() -> None:
    done = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, timeout=30 * PATIENCE)
    commands = [line.split()[1] for line in done.stdout.splitlines()]
    assert {"demo", "test", "run", "stop", "check", "drills", "bench", "clean"} <= set(commands)
