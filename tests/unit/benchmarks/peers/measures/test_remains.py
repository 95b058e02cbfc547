from pathlib import Path

import psycopg
import pytest
from django.db import connection

from benchmarks.peers.measures.remains import files_below, files_of_database, in_files, in_tables


@pytest.fixture
def database() -> str:
    """The tests' own database, as psycopg wants it told."""
    told = connection.settings_dict
    names = {"dbname": "NAME", "host": "HOST", "port": "PORT", "user": "USER", "password": "PASSWORD"}
    return psycopg.conninfo.make_conninfo(**{name: told[key] for name, key in names.items() if told[key]})


def test_a_word_is_found_in_every_file_whatever_its_case(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.db").write_bytes(b"\0\1QxGoBim\0 and qxgobam")
    (tmp_path / "b.log").write_text("nothing")
    (tmp_path / "c").touch()

    assert in_files(files_below(tmp_path), "qxgo") == {tmp_path / "deep" / "a.db": 2}


def test_a_word_that_lies_across_two_chunks_of_a_file_is_found_once(tmp_path: Path) -> None:
    large = tmp_path / "large"
    large.write_bytes(b"." * (16 * 2**20 - 2) + b"qxgo" + b"." * 100)

    assert in_files([large, tmp_path / "vanished"], "qxgo") == {large: 1}


@pytest.mark.django_db(transaction=True)
def test_a_word_is_found_in_every_table_whatever_its_case(database: str) -> None:
    with psycopg.connect(database, autocommit=True) as own:
        own.execute("CREATE TABLE told (id int, words jsonb)")
        try:
            own.execute("INSERT INTO told VALUES (1, '{\"a\": \"Qxgobim, qxgobam\"}'), (2, '{}')")

            assert in_tables(database, "qxgo") == {"public.told": 2}
        finally:
            own.execute("DROP TABLE told")


@pytest.mark.django_db(transaction=True)
def test_the_files_of_a_database_are_its_own_and_those_that_all_share(tmp_path: Path, database: str) -> None:
    with psycopg.connect(database) as own:
        number = own.execute("SELECT oid FROM pg_database WHERE datname = current_database()").fetchone()
    assert number is not None
    for name in (f"base/{number[0]}/1", "base/1/1", "pg_wal/0001"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch()

    files = files_of_database([database], tmp_path)

    assert [str(file.relative_to(tmp_path)) for file in files] == [f"base/{number[0]}/1", "pg_wal/0001"]
