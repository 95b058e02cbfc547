from pathlib import Path

import pytest

from config.embedded_postgres.errors import DataDirectoryUnusableError
from config.embedded_postgres.server import ensure_running, status, stop


def test_an_unknown_way_to_stop_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'gently' is not one of smart, fast, immediate"):
        stop(tmp_path / "postgres", mode="gently")


def test_stopping_what_never_was_says_so_and_makes_nothing(tmp_path: Path) -> None:
    assert stop(tmp_path / "nothing" / "postgres") is False
    assert list(tmp_path.iterdir()) == []


def test_looking_at_what_never_was_makes_nothing(tmp_path: Path) -> None:
    found = status(tmp_path / "nothing" / "postgres")

    assert (found.running, found.pid) == (False, None)
    assert found.version.startswith("18.")
    assert list(tmp_path.iterdir()) == []


def test_a_place_where_no_folder_can_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(DataDirectoryUnusableError, match="RAPPORT_DATA_DIR") as caught:
        ensure_running(tmp_path / "file" / "postgres")

    assert str(tmp_path / "file") in str(caught.value)
