"""The embedded database with real servers and real processes that start, race and die."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest

from config.embedded_postgres import (
    EmbeddedPostgresError,
    create_database,
    database_url,
    ensure_running,
    running_pid,
    socket_dir,
    start_if_used,
    stop,
)
from config.embedded_postgres.postmaster import is_server_on, takes_connections
from tests.integration.embedded_server import ask_database, do_in_database, pid_of, start_python
from tests.waiting import wait_until

ROOT = Path(__file__).resolve().parents[2]
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="Only root steps down to another account.")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder most tests share, as making one takes half a second. Its server may be up or down.

    As root it also lies below a folder that is closed to the server's account: pytest's own.
    """
    data_dir = tmp_path_factory.mktemp("embedded") / "postgres"
    yield data_dir
    stop(data_dir, mode="immediate")


@pytest.fixture
def running(shared: Path) -> Path:
    ensure_running(shared)
    return shared


@pytest.fixture
def open_place() -> Iterator[Path]:
    """A folder that every account can reach."""
    place = Path(tempfile.mkdtemp(dir="/tmp"))
    place.chmod(0o755)
    yield place
    shutil.rmtree(place)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("SELECT current_setting('server_version_num')::int / 10000", 18),
        ("SELECT getdatabaseencoding()", "UTF8"),
        ("SELECT datlocale FROM pg_database WHERE datname = 'postgres' AND datlocprovider = 'b'", "C.UTF-8"),
        ("SHOW fsync", "on"),
        ("SHOW listen_addresses", ""),
        ("SHOW max_connections", "100"),
        ("SELECT count(*) FROM pg_file_settings WHERE error IS NOT NULL", 0),
        ("SELECT count(*) FROM pg_available_extensions WHERE name = 'vector'", 1),
    ],
)
def test_the_server_is_what_the_service_expects(running: Path, question: str, answer: object) -> None:
    assert ask_database(running, question) == answer


def test_attaching_to_a_running_server_starts_nothing(running: Path) -> None:
    before = pid_of(running)

    assert ensure_running(running) == database_url(running)
    assert pid_of(running) == before


def test_a_database_is_created_once_however_many_ask_at_once(running: Path) -> None:
    starters = [start_python(running, "create_database(data_dir, 'a \"name\"')") for _ in range(3)]

    assert [starter.communicate(timeout=20)[1] for starter in starters] == ["", "", ""]
    create_database(running, 'a "name"')
    assert ask_database(running, "SELECT current_database()", name='a "name"') == 'a "name"'


def test_the_service_finds_its_database_up(running: Path, settings: Any) -> None:
    settings.EMBEDDED_POSTGRES_DIR = running

    start_if_used()

    name = settings.DATABASES["default"]["NAME"]
    assert ask_database(running, "SELECT current_database()", name=name) == name


def test_six_that_start_at_once_get_one_server_and_clear_what_a_killed_start_left(tmp_path: Path) -> None:
    data_dir = tmp_path / "postgres"
    half_made = tmp_path / ".postgres.new-killed"
    (half_made / "base").mkdir(parents=True)

    starters = [
        start_python(data_dir, "print(ensure_running(data_dir), running_pid(data_dir))") for _ in range(6)
    ]
    answers = [starter.communicate(timeout=60) for starter in starters]

    try:
        assert {errors for _, errors in answers} == {""}
        assert {said for said, _ in answers} == {f"{database_url(data_dir)} {pid_of(data_dir)}\n"}
        assert (data_dir / "server.log").read_text().count("starting PostgreSQL") == 1
        assert not half_made.exists()
    finally:
        stop(data_dir, mode="immediate")


def test_the_server_outlives_whoever_started_it(shared: Path) -> None:
    stop(shared)
    starter = start_python(shared, "print(ensure_running(data_dir), flush=True); input()")
    assert starter.stdout and starter.stdout.readline().strip() == database_url(shared)

    os.killpg(starter.pid, signal.SIGKILL)
    starter.communicate(timeout=10)

    assert takes_connections(shared)
    assert os.getsid(pid_of(shared)) != starter.pid


def test_after_kill_9_of_the_server_everything_committed_is_there(running: Path) -> None:
    do_in_database(running, "CREATE TABLE kept AS SELECT n FROM generate_series(1, 5000) AS n")
    killed = pid_of(running)

    os.kill(killed, signal.SIGKILL)
    ensure_running(running)

    assert pid_of(running) != killed
    assert ask_database(running, "SELECT sum(n) FROM kept") == 5000 * 5001 / 2


def test_a_query_that_outlives_its_killed_server_holds_nothing_up(running: Path) -> None:
    long_query = "SELECT count(*) FROM generate_series(1, 100000) AS a, generate_series(1, 100000) AS b"
    client = start_python(running, f"psycopg.connect(database_url(data_dir)).execute({long_query!r})")
    busy = "SELECT max(pid) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()"
    survivor = wait_until(lambda: ask_database(running, busy), what="the query to run")

    os.kill(pid_of(running), signal.SIGKILL)
    ensure_running(running)

    assert ask_database(running, "SELECT 1") == 1
    assert not is_server_on(running, survivor)
    client.communicate(timeout=10)


def test_after_kill_9_of_a_server_process_one_waits_for_the_recovery(running: Path) -> None:
    server = pid_of(running)
    with psycopg.connect(database_url(running)) as victim:
        os.kill(victim.info.backend_pid, signal.SIGKILL)
        wait_until(lambda: not psutil.pid_exists(victim.info.backend_pid), what="the process to be gone")

    ensure_running(running)

    assert ask_database(running, "SELECT 1") == 1
    assert pid_of(running) == server


def test_a_pid_file_that_names_another_living_program_stops_no_start(running: Path) -> None:
    lock_files = [running / "postmaster.pid", running / ".s.PGSQL.5432.lock"]
    left_behind = {
        file: file.read_text().replace(str(pid_of(running)), str(os.getpid()), 1) for file in lock_files
    }
    stop(running)
    for file, text in left_behind.items():
        file.write_text(text)

    assert running_pid(running) is None
    assert stop(running) is False  # and leaves the other program, which is us, alone
    ensure_running(running)

    assert ask_database(running, "SELECT 1") == 1


def test_stopping_cuts_clients_off_and_leaves_nothing_to_recover(running: Path) -> None:
    with psycopg.connect(database_url(running)) as client:
        server = pid_of(running)
        assert stop(running) is True
        with pytest.raises(psycopg.OperationalError):
            client.execute("SELECT 1")

    wait_until(lambda: not is_server_on(running, server), timeout=1, what="the server's process to be gone")
    assert stop(running) is False
    assert (running / "server.log").read_text().rstrip().endswith("database system is shut down")


def test_the_log_holds_no_statement_and_no_value(running: Path) -> None:
    do_in_database(running, "CREATE TABLE IF NOT EXISTS words (word text UNIQUE)")
    for wrong in ("INSERT INTO words VALUES ('confided'), ('confided')", "SELECT 'confided'::int"):
        with pytest.raises(psycopg.Error):
            do_in_database(running, wrong)

    assert "confided" not in (running / "server.log").read_text()


def test_a_server_that_cannot_start_shows_the_end_of_its_log(shared: Path) -> None:
    stop(shared)
    (shared / "postgresql.auto.conf").write_text("work_mem = 'plenty'\n")
    try:
        with pytest.raises(EmbeddedPostgresError, match="did not start") as caught:
            ensure_running(shared)
    finally:
        (shared / "postgresql.auto.conf").write_text("")

    assert 'invalid value for parameter "work_mem": "plenty"' in str(caught.value)
    assert f"The whole log: {shared}/server.log" in str(caught.value)


def test_a_first_start_that_fails_shows_why_and_leaves_nothing(tmp_path: Path) -> None:
    data_dir = tmp_path / "postgres"
    no_room = "resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000)); "

    _, errors = start_python(data_dir, f"{no_room}ensure_running(data_dir)").communicate(timeout=30)

    assert "EmbeddedPostgresError: The database files cannot be kept in" in errors
    assert "initdb failed" in errors
    assert [path.name for path in tmp_path.iterdir()] == ["postgres.lock"]


def test_the_command_starts_and_stops_it_and_its_questions_start_nothing(shared: Path) -> None:
    stop(shared)

    def manage(*arguments: str) -> str:
        environment = {**os.environ, "RAPPORT_DATA_DIR": str(shared.parent)}
        environment.pop("DATABASE_URL", None)
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.check_output(command, cwd=ROOT, env=environment, text=True)

    assert manage("database", "status").startswith("not running\n")
    assert manage("serve", "--help").startswith("usage: manage.py serve")
    assert manage("database", "url") == f"{database_url(shared, name='rapport')}\n"
    assert not takes_connections(shared)
    assert manage("database", "start").startswith("running, PID ")
    assert ask_database(shared, "SELECT current_database()", name="rapport") == "rapport"
    assert manage("database", "stop") == "The database has stopped.\n"
    assert not takes_connections(shared)


def test_a_long_path_works_through_a_socket_in_tmp(open_place: Path) -> None:
    data_dir = open_place / ("a-long-name-" * 10) / "postgres"
    try:
        ensure_running(data_dir)

        assert socket_dir(data_dir).parent == Path("/tmp")
        assert socket_dir(data_dir).stat().st_mode & 0o777 == 0o700
        assert ask_database(data_dir, "SELECT 1") == 1
    finally:
        stop(data_dir, mode="immediate")
        socket_dir(data_dir).rmdir()


@as_root
def test_root_steps_down_even_where_the_account_cannot_walk_and_opens_nothing(running: Path) -> None:
    closed = [parent for parent in running.parents if parent.stat().st_mode & 0o001 == 0]
    server = psutil.Process(pid_of(running))

    assert closed, "pytest's folder should be closed to others, or this shows nothing"
    assert {process.uids().effective for process in [server, *server.children()]} == {running.stat().st_uid}
    assert running.stat().st_uid != 0
    assert running.stat().st_mode & 0o777 == 0o700
    assert running.parent.stat().st_uid == 0
    assert "GEMINI_API_KEY" not in server.environ()
