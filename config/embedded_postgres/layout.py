"""Where the embedded database keeps what it keeps. Pure: nothing here touches or needs a server."""

import hashlib
import os
from pathlib import Path
from urllib.parse import quote

PORT = 5432  # names the socket file only: the server listens on no network port
USER = "postgres"

# A socket's address holds 104 bytes on macOS and 108 on Linux, the closing NUL included (unix(7), sun_path).
_LONGEST_SOCKET_DIR = 104 - 1 - len(f"/.s.PGSQL.{PORT}")
# Not tempfile.gettempdir(): two processes with different TMPDIR must agree, and it may itself be too long.
_SHORT_PLACE = Path("/tmp")  # noqa: S108 - whose folder it is gets checked


def socket_dir(data_dir: Path) -> Path:
    """The folder of the server's socket: the data folder itself, or one in /tmp where that path is too long.

    A path with a comma goes to /tmp too: libpq would read two hosts.
    """
    data = data_dir.resolve()
    if len(os.fsencode(data)) <= _LONGEST_SOCKET_DIR and "," not in str(data):
        return data
    return _SHORT_PLACE / f"rapport-postgres-{hashlib.sha256(os.fsencode(data)).hexdigest()[:12]}"


def database_url(data_dir: Path, *, name: str = "postgres") -> str:
    """The address of the database `name`, as libpq, psql and DATABASE_URL read it.

    The port is part of it, so that a PGPORT in the caller's environment does not lead elsewhere.
    """
    host = quote(str(socket_dir(data_dir)))
    return f"postgresql://{USER}@/{quote(name, safe='')}?host={host}&port={PORT}"


def log_file(data_dir: Path) -> Path:
    """The server's log."""
    return data_dir.resolve() / "server.log"


def lock_file(data_dir: Path) -> Path:
    """The file that whoever starts or stops the server holds locked; beside the data."""
    data = data_dir.resolve()
    return data.with_name(f"{data.name}.lock")
