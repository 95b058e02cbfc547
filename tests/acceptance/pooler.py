"""PgBouncer in transaction mode in front of a test's database."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, LiteralString

import psycopg
from psycopg import ClientCursor

from tests.acceptance.database import LiveDatabase
from tests.waiting import wait_until

SERVER_SESSIONS = 4  # shared by all clients

_CONFIGURATION = """
[databases]
{name} = {target}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
admin_users = {user}
pool_mode = transaction
default_pool_size = {sessions}
max_client_conn = 500
"""


def pgbouncer() -> str | None:
    """The program's path, if it is installed. On Debian it is not in the PATH of ordinary users."""
    return shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")


class Pooler:
    def __init__(self, database: LiveDatabase, port: int) -> None:
        self.url = f"postgresql://{database.parameters['user']}@127.0.0.1:{port}/{database.name}"

    def say(self, order: LiteralString) -> None:
        """To its console: PAUSE, RESUME, RECONNECT."""
        console = f"{self.url.rpartition('/')[0]}/pgbouncer"
        with psycopg.connect(console, autocommit=True) as session:
            ClientCursor(session).execute(order)

    def connect(self) -> psycopg.Connection[tuple[Any, ...]]:
        return psycopg.connect(self.url, connect_timeout=5, prepare_threshold=None)

    def answers(self) -> bool:
        try:
            self.connect().close()
        except psycopg.OperationalError:
            return False
        return True

    def settings_of_its_sessions(self, name: str) -> set[str]:
        """The values of a setting on the shared sessions, which are all occupied at once, so that each is seen."""
        clients = [self.connect() for _ in range(SERVER_SESSIONS)]
        try:
            return {str(client.execute(f"SHOW {name}".encode()).fetchall()[0][0]) for client in clients}
        finally:
            for client in clients:
                client.close()


@contextmanager
def pooled(database: LiveDatabase, folder: Path) -> Iterator[Pooler]:
    """Run it as the account that owns the database's socket, as root may not."""
    port = _free_port()
    parameters = {**database.parameters, "auth_user": ""}
    target = " ".join(f"{key}={value}" for key, value in parameters.items() if value)
    file = folder / "pgbouncer.ini"
    file.write_text(
        _CONFIGURATION.format(
            name=database.name,
            target=target,
            user=database.parameters["user"],
            port=port,
            sessions=SERVER_SESSIONS,
        )
    )
    owner = Path(str(database.parameters["host"])).stat() if os.geteuid() == 0 else None
    program = pgbouncer()
    assert program is not None
    with file.open("rb") as configuration:
        process = subprocess.Popen(
            [program, "-q", "/dev/stdin"],
            stdin=configuration,
            user=owner.st_uid if owner else None,
            group=owner.st_gid if owner else None,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    try:
        pooler = Pooler(database, port)
        wait_until(pooler.answers, what="the pooler")
        yield pooler
    finally:
        process.kill()
        process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
