from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict

from config.embedded_postgres.layout import database_url, lock_file, socket_dir, socket_file

LONG = Path("/srv") / ("a-rather-long-name/" * 10) / "postgres"


def test_the_socket_lies_in_the_data_folder_when_its_path_is_short() -> None:
    assert socket_dir(Path("/srv/rapport/postgres")) == Path("/srv/rapport/postgres")


@pytest.mark.parametrize(
    "data_dir",
    [LONG, Path("/srv/é" * 20), Path("/srv/one,two/postgres")],
    ids=["long", "long in bytes", "a comma, which libpq reads as two hosts"],
)
def test_a_data_folder_that_no_socket_can_have_gets_a_short_one_in_tmp(data_dir: Path) -> None:
    assert socket_dir(data_dir).parent == Path("/tmp")
    assert socket_dir(data_dir) == socket_dir(data_dir)
    assert socket_dir(data_dir) != socket_dir(data_dir / "other")
    assert len(str(socket_file(data_dir)).encode()) < 104


def test_the_longest_path_that_stays_in_place_still_fits_a_socket_address() -> None:
    lengths = {
        len(str(socket_file(Path("/" + "x" * length))))
        for length in range(60, 120)
        if socket_dir(Path("/" + "x" * length)) == Path("/" + "x" * length)
    }

    assert max(lengths) == 103


def test_two_spellings_of_one_folder_have_one_socket(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)

    assert socket_dir(tmp_path / "link" / "postgres") == socket_dir(tmp_path / "postgres")


def test_the_url_says_everything_a_client_needs_whatever_its_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PGPORT", "6000")

    address = conninfo_to_dict(database_url(Path("/srv/my data/50%/postgres"), name="a b/c"))

    assert address == {
        "user": "postgres", "dbname": "a b/c", "host": "/srv/my data/50%/postgres", "port": "5432",
    }  # fmt: skip


def test_the_lock_lies_beside_the_data() -> None:
    assert lock_file(Path("/srv/rapport/postgres")) == Path("/srv/rapport/postgres.lock")
