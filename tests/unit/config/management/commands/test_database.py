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


def test_url_is_the_services_own_database_and_starts_nothing(nowhere: Path, settings: Any) -> None:
    name = settings.DATABASES["default"]["NAME"]

    assert _say("url") == f"postgresql://postgres@/{name}?host={nowhere}/postgres&port=5432\n"
    assert list(nowhere.iterdir()) == []


def test_stopping_what_does_not_run_is_fine(nowhere: Path) -> None:
    assert _say("stop") == "The database was not running.\n"


@pytest.mark.parametrize("action", ["start", "stop", "status", "url"])
def test_with_a_server_of_ones_own_there_is_nothing_to_do_here(settings: Any, action: str) -> None:
    settings.EMBEDDED_POSTGRES_DIR = None

    with pytest.raises(CommandError, match="DATABASE_URL is set"):
        _say(action)


def test_what_goes_wrong_is_told_without_a_traceback(settings: Any, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    settings.EMBEDDED_POSTGRES_DIR = tmp_path / "file" / "postgres"

    with pytest.raises(CommandError, match="RAPPORT_DATA_DIR"):
        _say("start")
