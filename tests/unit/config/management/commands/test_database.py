import subprocess
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError


def _say(*arguments: str) -> str:
    output = StringIO()
    call_command("database", *arguments, stdout=output)
    return output.getvalue()


@pytest.fixture
def nowhere(settings: Any, tmp_path: Path) -> Path:
    settings.EMBEDDED_POSTGRES_DIR = tmp_path / "postgres"
    return tmp_path


def test_status_tells_where_everything_is_and_starts_nothing(nowhere: Path) -> None:
    said = _say("status")

    assert said.startswith("not running\nversion  PostgreSQL 18.")
    assert f"log      {nowhere}/postgres/server.log" in said
    assert list(nowhere.iterdir()) == []


def test_the_programs_for_a_backup_are_of_the_servers_version(nowhere: Path) -> None:
    program = Path(_say("programs").strip()) / "pg_dump"

    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    assert "(PostgreSQL) 18." in said


@pytest.mark.parametrize("action", ["start", "stop", "status", "url", "programs"])
def test_with_a_server_of_ones_own_there_is_nothing_to_do_here(settings: Any, action: str) -> None:
    settings.EMBEDDED_POSTGRES_DIR = None

    with pytest.raises(CommandError, match="DATABASE_URL is set"):
        _say(action)


def test_what_goes_wrong_is_told_without_a_traceback(settings: Any, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    settings.EMBEDDED_POSTGRES_DIR = tmp_path / "file" / "postgres"

    with pytest.raises(CommandError, match="RAPPORT_DATA_DIR"):
        _say("start")
