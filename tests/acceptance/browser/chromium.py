"""The browser of this machine: Debian's chromium, or any Chrome or Chromium there is."""

import os
import shutil
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
MISSING = "There is no Chrome or Chromium on this machine, so the pages are not tried. Install one: apt install chromium"


def find_chromium() -> str | None:
    """Its path; None if there is none."""
    found = [path for path in map(shutil.which, NAMES) if path]
    return next(iter([*found, *(place for place in PLACES if Path(place).exists())]), None)


def require_chromium() -> str:
    """Its path. Skips the test without one; where everything has to be tested (CI), fails it."""
    found = find_chromium()
    if found is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(MISSING)
    return found
