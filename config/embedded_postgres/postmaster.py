"""The running server: which process it is, whether it answers, and what a dead one left behind."""

import signal
from contextlib import suppress
from pathlib import Path

import psutil
from psycopg.conninfo import make_conninfo
from psycopg.pq import PGconn, Ping

from config.embedded_postgres.layout import database_url, socket_dir


def takes_connections(data_dir: Path) -> bool:
    """Whether the server takes them at this moment. About 1 ms.

    libpq's own question is a whole login: a server that recovers from a crash already answers on its socket.
    """
    address = make_conninfo(database_url(data_dir), connect_timeout=5)
    return PGconn.ping(address.encode()) == Ping.OK


def running_pid(data_dir: Path) -> int | None:
    """The PID of the server that runs on these files, or None. Raises OSError where we may not look."""
    pid = _pid_in(data_dir / "postmaster.pid")
    return pid if pid and is_server_on(data_dir, pid) else None


def is_server_on(data_dir: Path, pid: int) -> bool:
    """Whether the process is a living PostgreSQL on these files.

    A PID alone says nothing: they are given out again, and in a container from 1 up. A server's working
    directory is always its data folder.
    """
    try:
        return _works_on(data_dir, psutil.Process(pid))
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:
        return True  # in doubt, rather leave its lock alone


def drop_stale_locks(data_dir: Path) -> None:
    """Remove the lock files whose PID is something else's by now; PostgreSQL would respect them for ever.

    Those of a dead PID are left: PostgreSQL clears them itself, and looks for surviving children first.
    """
    for lock in [data_dir / "postmaster.pid", *socket_dir(data_dir).glob(".s.PGSQL.*.lock")]:
        pid = _pid_in(lock)
        if pid and psutil.pid_exists(pid) and not is_server_on(data_dir, pid):
            lock.unlink(missing_ok=True)


def end_survivors(data_dir: Path) -> None:
    """End the processes that outlived their killed server. Only for when no server runs on these files.

    Idle ones leave by themselves; one in the middle of a long query holds the server's memory until it is
    done, and no new server can start before. SIGQUIT is how a server itself ends them in an emergency.
    """
    for process in psutil.process_iter():
        if _surely_works_on(data_dir, process):
            with suppress(psutil.Error):
                process.send_signal(signal.SIGQUIT)


def _surely_works_on(data_dir: Path, process: psutil.Process) -> bool:
    try:
        return _works_on(data_dir, process)
    except psutil.Error:
        return False


def _works_on(data_dir: Path, process: psutil.Process) -> bool:
    if process.status() == psutil.STATUS_ZOMBIE or not process.name().startswith("postgres"):
        return False
    # A server runs as the owner of its files; asked first, as others' folders may be hidden from us.
    if process.uids().effective != data_dir.stat().st_uid:
        return False
    return Path(process.cwd()) == data_dir.resolve()


def _pid_in(file: Path) -> int | None:
    try:
        return int(file.read_text().split("\n", 1)[0])
    except (FileNotFoundError, ValueError):
        return None
