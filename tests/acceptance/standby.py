"""A streaming standby of a test's own embedded server, made like an operator's by pg_basebackup, on its own socket."""

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from config.embedded_postgres import database_url, ensure_running, running_pid, stop
from config.embedded_postgres.account import Account, account_for, run_as
from config.embedded_postgres.data_directory import spelled_for
from config.embedded_postgres.programs import programs_for
from tests.acceptance.database import LiveDatabase

_FOLLOWED = {"wal_level": "replica", "max_wal_senders": "4"}


class Standby(LiveDatabase):
    """A standby that can be stopped, frozen and killed."""

    @property
    def data_dir(self) -> Path:
        return Path(self.environment["RAPPORT_DATA_DIR"]) / "postgres"

    @property
    def url(self) -> str:
        return database_url(self.data_dir, name=self.name)

    def start(self) -> None:
        ensure_running(self.data_dir)


@contextmanager
def followed(primary: LiveDatabase, folder: Path) -> Iterator[Standby]:
    """Restart `primary` with the settings for replication, and with a second socket, as the standby's account may not
    access the first.
    """
    source = Path(primary.environment["RAPPORT_DATA_DIR"]) / "postgres"
    account = account_for(source)
    sockets = Path(tempfile.mkdtemp(prefix="rapport-followed-", dir="/tmp"))
    _give(account, sockets)
    with primary.connect() as session:
        for name, value in _FOLLOWED.items():
            session.execute(f"ALTER SYSTEM SET {name} = '{value}'".encode())
        session.execute(f"ALTER SYSTEM SET unix_socket_directories = '.', '{sockets}'".encode())
    stop(source)
    ensure_running(source)
    standby = Standby(
        {**primary.parameters, "host": str(folder / "postgres")}, {"RAPPORT_DATA_DIR": str(folder)}
    )
    standby.data_dir.mkdir(parents=True, mode=0o700)
    _give(account, standby.data_dir)
    copy = run_as(
        account,
        [
            programs_for(account) / "pg_basebackup",
            f"--pgdata={spelled_for(account, standby.data_dir)}",
            f"--dbname=host={sockets} port={primary.parameters['port']} user={primary.parameters['user']}",
            *("--checkpoint=fast", "--no-sync", "--write-recovery-conf"),
        ],
        cwd=standby.data_dir,
    )
    assert copy.succeeded, copy.output
    for socket in standby.data_dir.glob(".s.PGSQL.*"):  # the primary's own
        socket.unlink()
    with (standby.data_dir / "postgresql.auto.conf").open("a") as settings:
        settings.write("unix_socket_directories = '.'\n")
    try:
        standby.start()
        yield standby
    finally:
        if running_pid(standby.data_dir):
            standby.send_all(signal.SIGCONT)
        stop(standby.data_dir, mode="immediate")
        shutil.rmtree(sockets)


def _give(account: Account | None, path: Path) -> None:
    if account is not None:
        os.chown(path, account.uid, account.gid)
