"""The browser for the tests, which scripts/chromium.py finds or installs."""

import os

import pytest

from scripts.chromium import find_chromium

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
MISSING = "There is no Chrome or Chromium on this machine, so the pages are not tried. Install one: apt install chromium"


def require_chromium() -> str:
    """The browser's path. Without one the test is skipped; in CI, where everything must be tested, it fails."""
    found = find_chromium()
    if found is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(MISSING)
    return found
