"""What a web process has loaded before anybody asks it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.acceptance.processes import ROOT

LOADED = "import sys, config.asgi; print('openai' in sys.modules, 'google.genai' in sys.modules)"


@pytest.mark.parametrize(
    ("provider", "loaded"),
    [("openai", "True False"), ("offline", "False False"), ("nobody", "False False")],
)
def test_the_first_reply_waits_for_no_sdk_to_be_loaded(tmp_path: Path, provider: str, loaded: str) -> None:
    told = {
        "PATH": os.environ["PATH"],
        "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/nothing",
        "RAPPORT_DATA_DIR": str(tmp_path),
        "RAPPORT_LLM_PROVIDER": provider,
        "OPENAI_API_KEY": "k",
    }

    done = subprocess.run(
        [sys.executable, "-c", LOADED], cwd=ROOT, env=told, capture_output=True, text=True, check=False
    )

    assert done.stdout.strip() == loaded, done.stderr
