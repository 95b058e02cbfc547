"""Finds a browser for the browser tests, and installs Debian's where there is none. `make test` runs it first.

It asks for nothing and never fails: without a browser those tests skip with a sentence. Only root may install, where
there is apt-get; what could not be installed is not tried again until `make clean`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

# The first has no windows to draw: a page takes it a quarter of the processor time that a whole Chromium takes.
NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
LOG = Path(__file__).resolve().parent.parent / ".venv" / "chromium.log"


def find_chromium() -> str | None:
    """The path of a Chromium or Chrome; None if there is none."""
    found = [path for path in map(shutil.which, NAMES) if path]
    return next(iter([*found, *(place for place in PLACES if Path(place).exists())]), None)


def main() -> int:
    tried = LOG.exists() and not os.environ.get("CI")
    if find_chromium() or tried or os.geteuid() != 0 or shutil.which("apt-get") is None:
        return 0
    print("Installing Chromium for the browser tests, once …", flush=True)
    if not install():
        print(f"That did not work (see {LOG}). The browser tests are skipped.", flush=True)
    return 0


def install() -> bool:
    """Whether there is a browser now."""
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends"]
    commands = (["apt-get", "update", "-qq"], [*install, NAMES[0]], [*install, "chromium"])
    with LOG.open("wb") as log:
        for command in commands:
            if find_chromium():
                break  # not every Debian has the first
            subprocess.call(  # noqa: S603 - no shell, nothing of anybody else's
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
            )
    return find_chromium() is not None


if __name__ == "__main__":
    sys.exit(main())
