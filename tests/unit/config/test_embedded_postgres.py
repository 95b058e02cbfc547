"""The parts of the embedded database, without a server; tests/integration/test_embedded_postgres.py has real ones."""

import os
import pwd
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from psycopg.conninfo import conninfo_to_dict

from config.embedded_postgres import (
    EmbeddedPostgresError,
    database_url,
    ensure_running,
    running_pid,
    socket_dir,
    stop,
)
from config.embedded_postgres.account import CANDIDATES, account_for, first_account, run_as
from config.embedded_postgres.data_directory import prepare
from config.embedded_postgres.errors import advice_for
from config.embedded_postgres.postmaster import drop_stale_locks, is_server_on, takes_connections
from tests.waiting import wait_until

PROGRAMS = Path("/opt/programs")
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="Only root can step down to another account.")


# --- the account that runs it


def test_the_first_account_that_exists_is_taken_and_none_is_ever_made() -> None:
    me = pwd.getpwuid(os.getuid())
    assert first_account(["no-such-account", me.pw_name]).uid == me.pw_uid

    with pytest.raises(EmbeddedPostgresError, match="there is no account named no-such-account") as caught:
        first_account(["no-such-account"])

    assert "Run Rapport as an ordinary user." in str(caught.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="This is about everyone but root.")
def test_an_ordinary_user_runs_the_server_itself(tmp_path: Path) -> None:
    assert account_for(tmp_path) is None


@as_root
def test_root_hands_new_files_to_an_existing_account_and_others_to_their_owner(tmp_path: Path) -> None:
    account = account_for(tmp_path / "not yet there")
    assert account and account.uid != 0
    assert account.name in CANDIDATES

    os.chown(tmp_path, 4242, 4343)
    owner = account_for(tmp_path)
    assert owner and (owner.uid, owner.gid) == (4242, 4343)


@as_root
def test_a_folder_is_entered_before_stepping_down(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    inside = tmp_path / "inside"
    inside.mkdir()
    inside.chmod(0o777)
    nobody = first_account(["nobody"])

    done = run_as(nobody, ["/bin/sh", "-c", "id -u; id -G; echo here > file"], cwd=inside)

    assert done.output.split() == [str(nobody.uid), str(nobody.gid)]
    assert (inside / "file").read_text() == "here\n"


def test_a_program_sees_nothing_of_our_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "a secret")
    monkeypatch.setenv("PGPORT", "6000")

    seen = run_as(None, ["/usr/bin/env"]).output

    assert {line.split("=")[0] for line in seen.splitlines()} == {"PATH", "LC_ALL"}


@pytest.mark.parametrize(
    ("command", "timeout", "said"),
    [
        (["/bin/sh", "-c", "echo good; echo bad >&2; exit 3"], 5, "good\nbad"),
        (["/no/such/program"], 5, "No such file"),
        (["/etc/passwd"], 5, "Permission denied"),
        (["/bin/sleep", "30"], 0.05, "took longer than 0.05 s"),
    ],
    ids=["fails", "missing", "not a program", "too slow"],
)
def test_a_program_that_fails_or_cannot_be_run_is_an_outcome(
    command: list[str], timeout: float, said: str
) -> None:
    done = run_as(None, command, timeout=timeout)

    assert not done.succeeded
    assert said in done.output


# --- its files


def files_of(data_dir: Path, *, version: str = "18") -> Path:
    """The few files of a database that are looked at before it starts."""
    data_dir.mkdir(parents=True)
    (data_dir / "PG_VERSION").write_text(f"{version}\n")
    (data_dir / "postgresql.conf").write_text("datestyle = 'iso, mdy'\n")
    return data_dir


def test_files_of_another_major_version_are_left_as_they_were_and_come_with_the_steps_to_upgrade(
    tmp_path: Path,
) -> None:
    data_dir = files_of(tmp_path / "postgres", version="17")

    with pytest.raises(EmbeddedPostgresError, match=r"made by PostgreSQL 17\.") as caught:
        prepare(data_dir, None, programs=PROGRAMS)

    told = str(caught.value)
    assert "pg_dump and pg_restore are in /opt/programs" in told
    assert told.index("pg_dump --format=custom") < told.index(f"mv {data_dir} {data_dir}-17")
    assert told.index("mv ") < told.index("pg_restore --no-owner")
    assert sorted(file.name for file in data_dir.iterdir()) == ["PG_VERSION", "postgresql.conf"]


def test_a_folder_with_other_files_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "holiday.jpg").touch()

    with pytest.raises(EmbeddedPostgresError, match="Move them away"):
        prepare(tmp_path, None, programs=PROGRAMS)

    assert [file.name for file in tmp_path.iterdir()] == ["holiday.jpg"]


@as_root
def test_somebody_elses_files_are_refused_with_the_command_that_hands_them_over(tmp_path: Path) -> None:
    data_dir = files_of(tmp_path / "postgres")
    os.chown(data_dir, 4242, 4242)

    with pytest.raises(EmbeddedPostgresError, match=f"chown -R 0 {data_dir}"):
        prepare(data_dir, None, programs=PROGRAMS)


def test_a_socket_folder_that_is_a_link_is_refused(tmp_path: Path) -> None:
    data_dir = files_of(tmp_path / ("x" * 100) / "postgres")
    socket_dir(data_dir).symlink_to(tmp_path)

    try:
        with pytest.raises(EmbeddedPostgresError, match="belongs to somebody else"):
            prepare(data_dir, None, programs=PROGRAMS)
    finally:
        socket_dir(data_dir).unlink()


def test_settings_are_written_anew_at_each_start_and_included_once(tmp_path: Path) -> None:
    data_dir = files_of(tmp_path / "postgres")

    prepare(data_dir, None, programs=PROGRAMS)
    (data_dir / "rapport.conf").write_text("max_connections = 1")
    prepare(data_dir, None, programs=PROGRAMS)

    main = (data_dir / "postgresql.conf").read_text()
    assert main == "datestyle = 'iso, mdy'\ninclude 'rapport.conf'\n"
    ours = (data_dir / "rapport.conf").read_text()
    assert "max_connections = '100'" in ours
    assert "unix_socket_directories = '.'" in ours


def test_nothing_is_made_by_looking_or_stopping_and_a_place_without_room_is_named(tmp_path: Path) -> None:
    assert running_pid(tmp_path / "nothing" / "postgres") is None
    assert stop(tmp_path / "nothing" / "postgres") is False
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").touch()

    with pytest.raises(EmbeddedPostgresError, match="RAPPORT_DATA_DIR") as caught:
        ensure_running(tmp_path / "file" / "postgres")

    assert str(tmp_path / "file") in str(caught.value)


# --- its address


@pytest.mark.parametrize(
    "data_dir",
    [Path("/srv") / ("a-rather-long-name/" * 10), Path("/srv/é" * 20), Path("/srv/one,two/postgres")],
    ids=["long", "long in bytes", "a comma, which libpq reads as two hosts"],
)
def test_a_data_folder_that_no_socket_can_have_gets_a_short_one_in_tmp(data_dir: Path) -> None:
    assert socket_dir(data_dir).parent == Path("/tmp")
    assert socket_dir(data_dir) != socket_dir(data_dir / "other")


def test_the_longest_path_that_stays_in_place_still_fits_a_socket_address() -> None:
    folders = [Path("/" + "x" * length) for length in range(60, 120)]
    longest = max(len(str(folder)) for folder in folders if socket_dir(folder) == folder)

    assert longest + len("/.s.PGSQL.5432") == 103


def test_the_url_says_everything_a_client_needs_whatever_its_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PGPORT", "6000")

    address = conninfo_to_dict(database_url(Path("/srv/my data/50%/postgres"), name="a b/c"))

    assert address == {
        "user": "postgres", "dbname": "a b/c", "host": "/srv/my data/50%/postgres", "port": "5432",
    }  # fmt: skip


# --- its process


@pytest.fixture
def zombie() -> Iterator[int]:
    process = subprocess.Popen(["/bin/true"])
    wait_until(lambda: psutil.Process(process.pid).status() == psutil.STATUS_ZOMBIE, what="a zombie")
    yield process.pid
    process.wait()


@pytest.mark.parametrize("text", [None, "", "no number\n", "999999999\n"])
def test_without_a_pid_file_that_names_a_living_server_none_runs(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "postmaster.pid").write_text(text)

    assert running_pid(tmp_path) is None
    assert not takes_connections(tmp_path)


def test_neither_another_program_in_the_same_folder_nor_a_zombie_is_the_server(
    tmp_path: Path, zombie: int
) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], cwd=tmp_path, stdin=subprocess.PIPE) as other:
        assert not is_server_on(tmp_path, other.pid)
    assert not is_server_on(tmp_path, zombie)


def test_locks_of_others_are_dropped_and_those_of_the_dead_left_to_postgresql(
    tmp_path: Path, zombie: int
) -> None:
    for name, pid in (("postmaster.pid", os.getpid()), (".s.PGSQL.5432.lock", zombie)):
        (tmp_path / name).write_text(f"{pid}\n")
    drop_stale_locks(tmp_path)
    assert list(tmp_path.iterdir()) == []

    (tmp_path / "postmaster.pid").write_text("999999999\n")
    drop_stale_locks(tmp_path)
    assert (tmp_path / "postmaster.pid").exists()


def test_shared_memory_that_is_full_is_not_taken_for_a_disk() -> None:
    said = 'FATAL: could not resize shared memory segment "/PostgreSQL.1" to 11176 bytes: No space left on device'

    assert advice_for(said).startswith("Shared memory is full (/dev/shm).")
    assert advice_for("could not write: No space left on device").startswith("The disk is full.")
