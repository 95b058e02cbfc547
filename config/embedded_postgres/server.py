"""Start, attach to and stop the embedded server."""

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import sql

from config.embedded_postgres import data_directory
from config.embedded_postgres.account import Account, account_for, run_as
from config.embedded_postgres.errors import OWN_SERVER, EmbeddedPostgresError, advice_for, unusable
from config.embedded_postgres.layout import database_url, lock_file, log_file
from config.embedded_postgres.postmaster import (
    drop_stale_locks,
    end_survivors,
    running_pid,
    takes_connections,
)
from config.embedded_postgres.programs import programs_for

START_SECONDS = 120  # recovery replays at most 256 MB of WAL
STOP_SECONDS = 60
STOP_MODES = ("smart", "fast", "immediate")

_OLD_CHILDREN = "pre-existing shared memory block"  # held by the processes of a killed server
_LONGEST_LOG = 10 * 1024 * 1024


def ensure_running(data_dir: Path) -> str:
    """Start the server on these files if necessary, wait until it takes connections, and return its URL.

    Creates the files at the first start. Safe in any number of processes at once. Takes about 1 ms if the server runs
    already. Raises EmbeddedPostgresError.
    """
    data = data_dir.resolve()
    if not takes_connections(data):
        with alone(data):
            _bring_up(data)
    return database_url(data)


def stop(data_dir: Path, *, mode: str = "fast") -> bool:
    """Stop the server and wait until it has ended. Return whether it was running.

    `smart` lets clients finish, `fast` disconnects them, `immediate` leaves the rest to crash recovery.
    Raises EmbeddedPostgresError.
    """
    data = data_dir.resolve()
    if not data.exists():
        return False
    with alone(data):
        pid = running_pid(data)
        if pid is None:
            return False
        account = account_for(data)
        options = (f"--mode={mode}", f"--timeout={STOP_SECONDS}")
        pg_ctl(data, account, "stop", *options, programs=programs_for(account))
        if running_pid(data):
            raise EmbeddedPostgresError(
                f"The embedded database on {data} (PID {pid}) still runs after {STOP_SECONDS} s.\n"
                "Close what is connected to it, or stop it at once with"
                " `python manage.py database stop --mode immediate`; it mends itself at the next start."
            )
        return True


def create_database(data_dir: Path, name: str = "rapport") -> None:
    """Create the database in the running server if it is missing. Safe to call at the same time.

    Raises psycopg.Error.
    """
    with psycopg.connect(database_url(data_dir), autocommit=True) as connection:
        known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).rowcount
        if known:
            return
        try:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        except (psycopg.errors.DuplicateDatabase, psycopg.errors.UniqueViolation):
            return  # somebody else was first


@contextmanager
def alone(data: Path) -> Iterator[None]:
    """Hold the lock by which only one process starts or stops the server. It is released if we die."""
    try:
        data.parent.mkdir(parents=True, exist_ok=True)
        with lock_file(data).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
    except OSError as error:
        way_out = "See that this account may write there, or set RAPPORT_DATA_DIR to another folder."
        raise unusable(data, error, way_out=way_out) from error


def _bring_up(data: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    account = account_for(data)
    prepared = False
    while not takes_connections(data):
        if time.monotonic() > deadline:
            raise _did_not_start(data, f"it took no connections within {START_SECONDS} s")
        if running_pid(data) is None:
            if not prepared:
                data_directory.prepare(data, account, programs=programs_for(account))
                prepared = True
            _start_once(data, account)
        time.sleep(0.02)  # it is recovering or stopping, which both end


def _start_once(data: Path, account: Account | None) -> None:
    """Try once to start it. Also returns if another attempt may succeed. Raises EmbeddedPostgresError if none can."""
    drop_stale_locks(data)
    log = log_file(data)
    if log.exists() and log.stat().st_size > _LONGEST_LOG:
        log.replace(log.with_suffix(".log.1"))
    read_already = log.stat().st_size if log.exists() else 0
    options = (f"--log={log.name}", f"--timeout={START_SECONDS}")
    output = pg_ctl(data, account, "start", *options, programs=programs_for(account))
    if output is None or running_pid(data):
        return
    written = _text_after(log, read_already)
    if _OLD_CHILDREN in written:
        end_survivors(data)
        return
    raise _did_not_start(data, "it ended at once", tail=written or output)


def pg_ctl(data: Path, account: Account | None, verb: str, *options: str, programs: Path) -> str | None:
    """Run pg_ctl in the data folder and wait for it. Return None if it succeeded, otherwise its output."""
    pgdata = data_directory.spelled_for(account, data)
    done = run_as(account, [programs / "pg_ctl", verb, f"--pgdata={pgdata}", "--wait", *options], cwd=data)
    return None if done.succeeded else done.output


def _did_not_start(data: Path, reason: str, *, tail: str = "") -> EmbeddedPostgresError:
    log = log_file(data)
    last = "\n".join((tail or _text_after(log, 0)).splitlines()[-12:])
    return EmbeddedPostgresError(
        f"The embedded database on {data} did not start: {reason}. Its last lines:\n{last}\n"
        f"{advice_for(last)} The whole log: {log}. {OWN_SERVER}"
    )


def _text_after(log: Path, offset: int) -> str:
    if not log.exists():
        return ""
    with log.open("rb") as handle:
        handle.seek(offset)
        return handle.read().decode(errors="replace").strip()
