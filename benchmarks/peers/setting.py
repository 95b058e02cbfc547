"""What a run stands on: a fresh embedded PostgreSQL, the model server, and a folder that is gone at the end."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import psycopg

from benchmarks.peers.model import Model, model_server
from benchmarks.peers.systems.base import House
from config.embedded_postgres import ensure_running, socket_dir, stop

CONNECTIONS = 400  # every system keeps its own while the others are measured


@contextmanager
def setting() -> Iterator[tuple[House, Model]]:
    with tempfile.TemporaryDirectory(prefix="rapport-peers-") as place:
        folder = Path(place)
        folder.chmod(0o711)  # the database's account has to pass through
        data = folder / "postgres"
        _make_room(data)
        try:
            with model_server() as model:
                server = f"postgresql://postgres@{quote(str(socket_dir(data)), safe='')}:5432"
                yield House(server, data, folder / "systems", model.url), model
        finally:
            stop(data)


def _make_room(data: Path) -> None:
    """Have the server up, with room for all systems at once."""
    with psycopg.connect(ensure_running(data), autocommit=True) as connection:
        connection.execute(f"ALTER SYSTEM SET max_connections = {CONNECTIONS}".encode())
    stop(data)
    ensure_running(data)
