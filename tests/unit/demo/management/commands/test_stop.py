import json
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django.fixtures import Settings


@pytest.fixture(autouse=True)
def a_data_folder_of_its_own(settings: Settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    settings.EMBEDDED_POSTGRES_DIR = tmp_path / "postgres"


def stop() -> str:
    out = StringIO()
    call_command("stop", stdout=out)
    return out.getvalue()


def test_nothing_to_stop_is_no_error() -> None:
    assert stop() == "No service was running.\n"


def test_a_service_is_stopped_and_named(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "print(flush=True); input()", "serve"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        process.stdout.readline()  # before it is quite there it has no command line
        (tmp_path / "serve.json").write_text(json.dumps({"pid": process.pid, "url": "http://127.0.0.1:8000"}))
        assert stop() == "The service at http://127.0.0.1:8000 has stopped.\n"
    finally:
        process.kill()
        process.communicate()


def test_an_external_database_is_not_stopped(settings: Settings) -> None:
    settings.EMBEDDED_POSTGRES_DIR = None
    assert stop() == "No service was running.\n"
