"""The processes of the web server: granian's, forked from one that has loaded the code, so that they share it."""

import multiprocessing
import resource
import socket
import sys
import time
from math import ceil
from pathlib import Path
from typing import Any

from granian.constants import HTTPModes, Interfaces, Loops
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server import MPServer
from granian.server.common import AbstractServer

from config.serving import try_port

# The time for a request's head, from when its connection is free: granian's maximum.
_HEADER_SECONDS = 60
_HEADER_BYTES = 65_536
_CONNECTIONS = 8192  # of one process; each costs a descriptor and some memory, and no thread


def web_server(bind: str, *, processes: int, grace: float) -> AbstractServer[Any]:
    """Make the server. `bind`: host:port, [address]:port, or unix:/path. `grace`: seconds that stopping may take, a
    little more than the longest request. Raises ValueError, OSError.

    Its `serve()` forks, so nothing may be open that a fork would break.
    """
    if sys.platform == "linux":  # not the default since Python 3.14; on other systems a fork is not safe
        multiprocessing.set_start_method("fork", force=True)
    return _Server(
        "config.asgi:application",
        **_where(bind),
        interface=Interfaces.ASGI,
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(
            header_read_timeout=1000 * _HEADER_SECONDS, max_buffer_size=_HEADER_BYTES
        ),
        websockets=False,
        loop=Loops.uvloop,
        log_level=LogLevels.warning,
        # Without handlers of its own, what it says is written as other lines are.
        log_dictconfig={"formatters": {}, "handlers": {}, "loggers": {}},
        workers=processes,
        respawn_failed_workers=True,
        respawn_interval=0.5,
        workers_kill_timeout=ceil(grace),
        backlog=2048,
        backpressure=_raise_descriptors(_CONNECTIONS),
    )


class _Server(MPServer):
    def _stop_workers(self) -> None:
        """Wait here until the processes are known to have ended. Two of granian's threads wait for each one; the slower
        takes it for alive, warns that it had to be killed, and kills its PID.
        """
        workers: list[Any] = self.wrks
        end = time.monotonic() + (self.workers_kill_timeout or 0)
        for worker in workers:
            worker.terminate()
        for worker in workers:
            while worker.inner.exitcode is None and time.monotonic() < end:
                time.sleep(0.01)
        super()._stop_workers()  # type: ignore[no-untyped-call]


def _where(bind: str) -> dict[str, Any]:
    if bind.startswith("unix:"):
        path = Path(bind.removeprefix("unix:"))
        remove_left_socket(path)
        return {"uds": path}
    host, _, port = bind.rpartition(":")
    if not port.isdigit() or int(port) > 65535:
        raise ValueError(f"{bind!r} names no port: write host:port, or unix:/path")
    address = host.strip("[]") or "0.0.0.0"  # noqa: S104 - as ":8000" asks
    try_port(address, int(port))  # granian would share a port in use, and also the files of counters
    return {"address": address, "port": int(port)}


def remove_left_socket(path: Path) -> None:
    """Remove the socket of a server that was killed, as otherwise no other could listen there."""
    if path.is_socket():
        with socket.socket(socket.AF_UNIX) as probe:
            try:
                probe.connect(str(path))
            except ConnectionRefusedError:
                path.unlink()


def _raise_descriptors(connections: int) -> int:
    """Raise the limit of open files for this process and its forks; return how many connections that allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + 1024
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return connections if soft == resource.RLIM_INFINITY else max(64, min(connections, soft - 512))
