"""The server's process: its PID, whether it answers, and what a dead one left behind."""

import signal
from contextlib import suppress
from pathlib import Path

import psutil
from psycopg.conninfo import make_conninfo
from psycopg.pq import PGconn, Ping

from config.embedded_postgres.layout import database_url, socket_dir


def takes_connections(data_dir: Path) -> bool:
    """Return whether the server accepts connections now. About 1 ms.

    By libpq's ping, as a server that is recovering from a crash already answers on its socket.
    """
    address = make_conninfo(database_url(data_dir), connect_timeout=5)
    return PGconn.ping(address.encode()) == Ping.OK


def running_pid(data_dir: Path) -> int | None:
    """The PID of the server that runs on these files, or None. Raises OSError if it may not be read."""
    pid = _pid_in(data_dir / "postmaster.pid")
    return pid if pid and is_server_on(data_dir, pid) else None


def is_server_on(data_dir: Path, pid: int) -> bool:
    """Return whether the process is a running PostgreSQL on these files, by its working directory.

    The PID alone proves nothing, as PIDs are reused, and in a container begin at 1 again.
    """
    try:
        return _works_on(data_dir, psutil.Process(pid))
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:
        return True  # if in doubt, leave its lock alone


def drop_stale_locks(data_dir: Path) -> None:
    """Remove lock files whose PID belongs to another program by now; PostgreSQL would respect them for ever.

    Those of a dead PID stay: PostgreSQL removes them itself, after looking for surviving children.
    """
    for lock in [data_dir / "postmaster.pid", *socket_dir(data_dir).glob(".s.PGSQL.*.lock")]:
        pid = _pid_in(lock)
        if pid and psutil.pid_exists(pid) and not is_server_on(data_dir, pid):
            lock.unlink(missing_ok=True)


def end_survivors(data_dir: Path) -> None:
    """End the children of a killed server. Call it only when no server runs on these files.

    Idle ones end by themselves; but one with a long query keeps the server's shared memory until it is done, and no
    new server can start before. SIGQUIT is what a server itself sends them in an emergency.
    """
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if _works_on(data_dir, process):
                process.send_signal(signal.SIGQUIT)


def _works_on(data_dir: Path, process: psutil.Process) -> bool:
    if process.status() == psutil.STATUS_ZOMBIE or not process.name().startswith("postgres"):
        return False
    # A server runs as the owner of its files. Checked first, as others' working directories may be hidden from us.
    if process.uids().effective != data_dir.stat().st_uid:
        return False
    return Path(process.cwd()) == data_dir.resolve()


def _pid_in(file: Path) -> int | None:
    try:
        return int(file.read_text().split("\n", 1)[0])
    except (FileNotFoundError, ValueError):
        return None
