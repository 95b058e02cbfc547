"""Run the whole service in one terminal: web servers and worker are child processes, restarted when they die.

In production a service manager runs them instead (compose.yaml).
"""

import errno
import json
import os
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import psutil
import structlog
from django.core.management.base import CommandError

from config.supervision import Child, Supervisor, die_with_parent

log = structlog.get_logger(__name__)

# Set in the environment of a service that was started in the background, which may therefore be restarted.
IN_BACKGROUND = "RAPPORT_IN_BACKGROUND"
_GRACE_SECONDS = 40.0  # more than either child's own
_STEADY_SECONDS = 30.0
_LONGEST_PAUSE_SECONDS = 30.0
_PORTS_TRIED = 100


@dataclass(frozen=True, slots=True)
class Running:
    """A running `manage.py serve`. `in_background`: the demo started it."""

    pid: int
    url: str
    in_background: bool


class AddressUnusable(CommandError):
    """The port is in use, this service runs already, or the host is not this machine's. The message says what to do."""


@dataclass(frozen=True, slots=True)
class Address:
    host: str
    port: int

    @property
    def url(self) -> str:
        here = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}  # noqa: S104 - listening everywhere
        return f"http://{_bracketed(here.get(self.host, self.host))}:{self.port}"

    @property
    def bind(self) -> str:
        """The address for `manage.py web --bind`."""
        return f"{_bracketed(self.host)}:{self.port}"


class Foreground(Supervisor):
    """Supervises the web server and the worker. `note` is a file by which others find us: {pid, url}.
    `say`: tell whoever has started it where it is.
    """

    tick_seconds = 0.2

    def __init__(self, address: Address, *, root: Path, note: Path, say: Callable[[str], None]) -> None:
        self._address, self._note, self._say = address, note, say
        self._announced = False
        self._chat = Address(address.host, free_port(address.host, address.port + 1) or address.port)
        found = parts(address, self._chat)
        super().__init__([_part(name, command, root=root) for name, command in found.items()])

    def _look(self, now: float) -> None:
        if self._announced or not _answers(self._address.url):
            return
        self._announced = True
        self._note.parent.mkdir(parents=True, exist_ok=True)
        self._note.write_text(json.dumps({"pid": os.getpid(), "url": self._address.url}))
        urls = {"url": self._address.url, "chat_url": self._chat.url}
        log.info("the service answers", event_name="serve.started", **urls)
        self._say(f"Rapport is at {self._address.url} (Ctrl-C stops it).")
        if self._chat != self._address:
            self._say(f"Send many simultaneous chats to {self._chat.url}/v1.")

    def _child_ended(self, child: Child, status: int, pause: float) -> None:
        log.warning(
            "a process ended; it is started again",
            event_name="serve.process.ended",
            process=child.name,
            status=how_ended(status),
            seconds=pause,
        )

    def _stop(self) -> None:
        log.info("stopping; turns in progress are finished first", event_name="serve.stopping")
        running = running_service(self._note)
        if running is not None and running.pid == os.getpid():
            self._note.unlink(missing_ok=True)
        self._end(*self._children, grace=_GRACE_SECONDS, most_stops=sys.maxsize)


def parts(address: Address, chat: Address) -> dict[str, list[str]]:
    """The `manage.py` commands to run, by name.

    `chat` is the address of a second group of web processes, so that chat streams take nothing from the first. If it
    is the same address, there is no second group.
    """
    chats = ["web", "--chats", "--bind", chat.bind]
    return {
        "web server": ["web", "--bind", address.bind],
        **({"chat server": chats} if chat != address else {}),
        "worker": ["worker", "--skip-checks"],  # serve has run them
    }


def _part(name: str, command: Sequence[str], *, root: Path) -> Child:
    def become() -> None:
        die_with_parent(signal.SIGTERM)  # if we are killed
        os.chdir(root)
        os.execv(sys.executable, [sys.executable, "manage.py", *command])  # noqa: S606 - our own command

    return Child(name, become, steady=_STEADY_SECONDS, longest=_LONGEST_PAUSE_SECONDS, free=0)


def require_free(address: Address, *, note: Path) -> None:
    """Check that the port is free and this service doesn't run already, at any port: both would write the same note.

    Raises AddressUnusable, which names the running service, or else the next free port.
    """
    running = running_service(note)
    if running is not None:
        raise AddressUnusable(
            f"Rapport is already running, at {running.url} (process {running.pid}). `make stop` stops it."
        )
    free = free_port(address.host, address.port)
    if free == address.port:
        return
    way_out = f"; --port {free} is free" if free else ""
    raise AddressUnusable(f"Port {address.port} on {address.host} is taken{way_out}.")


def running_service(note: Path) -> Running | None:
    """What `serve` wrote into its note, if that process still runs."""
    try:
        told = json.loads(note.read_text())
        process = psutil.Process(int(told["pid"]))
        # the PID alone proves nothing: after a restart of the machine it may be another program's
        if "serve" not in process.cmdline():
            return None
        return Running(process.pid, str(told["url"]), in_background=IN_BACKGROUND in process.environ())
    except (OSError, ValueError, KeyError, TypeError, psutil.Error):
        return None


def free_port(host: str, wanted: int) -> int | None:
    """The wanted port, or the next free one. Raises AddressUnusable if this account or machine can't listen there."""
    ports = range(wanted, min(wanted + _PORTS_TRIED, 65536))
    try:
        return next((port for port in ports if _is_free(host, port)), None)
    except OSError as error:
        raise AddressUnusable(
            f"The service can't be at {_bracketed(host)}:{wanted}: {error.strerror}."
        ) from error


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _is_free(host: str, port: int) -> bool:
    try:
        try_port(host, port)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        return False
    return True


def try_port(host: str, port: int) -> None:
    """Take the port, and free it at once. Raises OSError."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port that was just closed is free
        probe.bind((host, port))


def _answers(url: str) -> bool:
    try:
        with urlopen(f"{url}/healthz", timeout=1) as answer:  # noqa: S310 - our own address
            return bool(answer.status == 200)
    except (URLError, OSError):
        return False


def how_ended(status: int) -> str:
    """Describe an exit status from os.wait."""
    code = os.waitstatus_to_exitcode(status)
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"status {code}"
