"""The paths and the address of the embedded database. Pure: nothing here touches or needs a server."""

import hashlib
import os
from pathlib import Path
from urllib.parse import quote

PORT = 5432  # names the socket file only: the server listens on no network port
USER = "postgres"

# A socket's path may have 104 bytes on macOS and 108 on Linux, including the final NUL (unix(7), sun_path).
_LONGEST_SOCKET_DIR = 104 - 1 - len(f"/.s.PGSQL.{PORT}")
# Not tempfile.gettempdir(): two processes with different TMPDIR must agree, and it may itself be too long.
_SHORT_PLACE = Path("/tmp")  # noqa: S108 - whose folder it is gets checked


def socket_dir(data_dir: Path) -> Path:
    """The folder of the server's socket: the data folder, or one in /tmp if its path is too long or has a comma.

    libpq would read a path with a comma as two hosts.
    """
    data = data_dir.resolve()
    if len(os.fsencode(data)) <= _LONGEST_SOCKET_DIR and "," not in str(data):
        return data
    return _SHORT_PLACE / f"rapport-postgres-{hashlib.sha256(os.fsencode(data)).hexdigest()[:12]}"


def database_url(data_dir: Path, *, name: str = "postgres") -> str:
    """The URL of the database `name` for libpq, psql and DATABASE_URL.

    It includes the port, so that a PGPORT in the caller's environment has no effect.
    """
    host = quote(str(socket_dir(data_dir)))
    return f"postgresql://{USER}@/{quote(name, safe='')}?host={host}&port={PORT}"


def log_file(data_dir: Path) -> Path:
    """The server's log."""
    return data_dir.resolve() / "server.log"


def lock_file(data_dir: Path) -> Path:
    """The file that is locked while the server is started or stopped; beside the data folder."""
    data = data_dir.resolve()
    return data.with_name(f"{data.name}.lock")
