"""scripts/chromium.py, which `make test` runs: it installs a browser once, and never stands in the way."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from scripts.chromium import find_chromium
from tests.acceptance.browser.chromium import MISSING, require_chromium
from tests.acceptance.processes import ROOT

APT = """#!/bin/sh
echo "$@" >> "{asked}"
[ "$1" = install ] && {installs} && printf '#!/bin/sh\\n' > "{folder}/chromium" && chmod +x "{folder}/chromium"
exit 0
"""


class Machine:
    """Programs of its own, and a copy of the script."""

    def __init__(self, folder: Path) -> None:
        self.programs, self.asked = folder / "bin", folder / "asked"
        for name in ("bin", "scripts", ".venv"):
            (folder / name).mkdir()
        self._script = shutil.copy(ROOT / "scripts" / "chromium.py", folder / "scripts")

    def has_apt(self, *, that_installs: bool) -> None:
        lines = APT.format(
            asked=self.asked, folder=self.programs, installs="true" if that_installs else "false"
        )
        self.has("apt-get", lines)

    def has(self, name: str, lines: str = "#!/bin/sh\n") -> None:
        (self.programs / name).write_text(lines)
        (self.programs / name).chmod(0o755)

    def run(self, more: Mapping[str, str] | None = None) -> str:
        path = f"{self.programs}:{'' if more is None else more.get('PATH', '')}"
        # chmod and printf, and no browser of this machine
        for tool in ("chmod", "sh"):
            found = shutil.which(tool)
            if found and not (self.programs / tool).exists():
                (self.programs / tool).symlink_to(found)
        done = subprocess.run(
            [sys.executable, self._script],
            env={**(more or {}), "PATH": path},
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        )
        return done.stdout

    @property
    def requests(self) -> list[str]:
        return self.asked.read_text().splitlines() if self.asked.exists() else []


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root installs anything")


def test_a_browser_that_is_there_is_left_alone(machine: Machine) -> None:
    machine.has("google-chrome")
    machine.has_apt(that_installs=True)

    assert machine.run() == ""
    assert machine.requests == []


@needs_root
def test_a_missing_one_is_installed_and_that_is_said(machine: Machine) -> None:
    machine.has_apt(that_installs=True)

    assert "Installing Chromium" in machine.run()
    assert machine.requests[-1].endswith("chromium")
    assert machine.run() == ""


@needs_root
def test_what_can_not_be_installed_is_not_tried_again(machine: Machine) -> None:
    machine.has_apt(that_installs=False)

    assert "The browser tests are skipped." in machine.run()
    asked = machine.requests
    assert machine.run() == ""
    assert machine.requests == asked


def test_without_apt_nothing_is_tried(machine: Machine) -> None:
    assert machine.run() == ""


@pytest.mark.parametrize(
    ("ci", "outcome"), [("", pytest.skip.Exception), ("true", pytest.fail.Exception)], ids=["here", "in CI"]
)
def test_without_a_browser_the_tests_skip_with_a_sentence_and_fail_in_ci(
    ci: str, outcome: type[BaseException], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CI", ci)
    if find_chromium() is not None:
        pytest.skip("a browser is installed outside the path here")

    with pytest.raises(outcome) as raised:
        require_chromium()

    assert str(raised.value) == MISSING
