"""The command line of the web server: granian, with what protects it from its clients."""

import resource
import sys
from collections.abc import Sequence
from math import ceil
from pathlib import Path

# Of the head of a request, from when its connection is free for it: the longest that granian takes.
_HEADER_SECONDS = 60
_HEADER_BYTES = 65_536
_CONNECTIONS = 8192  # of one process; each costs a descriptor and some memory, and no thread


def web_command(bind: str, *, processes: int, grace: float, folder: Path) -> list[str]:
    """`bind`: host:port, [address]:port, or unix:/path. `grace`: seconds in which a stop has to be over; a little more
    than the longest request takes. Raises ValueError.
    """
    return [
        *(sys.executable, "-m", "granian", "--interface", "asginl", "--http", "1", "--no-ws"),
        *("--loop", "uvloop", "--log-level", "warning", "--working-dir", str(folder)),
        *_where(bind),
        *("--workers", str(processes), "--respawn-failed-workers", "--respawn-interval", "0.5"),
        *("--workers-kill-timeout", str(ceil(grace))),
        *("--backlog", "2048", "--backpressure", str(_raise_descriptors(_CONNECTIONS))),
        *("--http1-header-read-timeout", str(1000 * _HEADER_SECONDS)),
        *("--http1-buffer-size", str(_HEADER_BYTES)),
        "config.asgi:application",
    ]


def _where(bind: str) -> Sequence[str]:
    if bind.startswith("unix:"):
        return ("--uds", bind.removeprefix("unix:"))
    host, _, port = bind.rpartition(":")
    if not port.isdigit() or int(port) > 65535:
        raise ValueError(f"{bind!r} names no port: write host:port, or unix:/path")
    return ("--host", host.strip("[]") or "0.0.0.0", "--port", port)  # noqa: S104 - as ":8000" asks


def _raise_descriptors(connections: int) -> int:
    """Let this process, and those it becomes, open as many files as that takes; how many connections there may be."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + 1024
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return connections if soft == resource.RLIM_INFINITY else max(64, min(connections, soft - 512))
