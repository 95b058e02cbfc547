"""The whole service in the foreground of one terminal: web server and worker as child processes, started
again when they die. Production runs the two under a service manager instead (compose.yaml).
"""

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

_TICK_SECONDS = 0.2
_GRACE_SECONDS = 40.0  # more than either child takes for itself
_STEADY_SECONDS = 30.0
_LONGEST_PAUSE_SECONDS = 30.0
_PORTS_TRIED = 100
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG, prctl(2)


class PortTaken(Exception):
    """Somebody listens there already. Says where there is room."""


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
        """As `manage.py web --bind` takes it."""
        return f"{_bracketed(self.host)}:{self.port}"


class Service:
    """One child: what to run, and when to run it again."""

    def __init__(self, name: str, command: Sequence[str], environment: dict[str, str], cwd: Path) -> None:
        self.name = name
        self.command, self.environment, self._cwd = command, environment, cwd
        self._process: subprocess.Popen[bytes] | None = None
        self._start_at = self._started_at = 0.0
        self._failures = 0

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def tend(self, now: float, say: Callable[[str], None]) -> None:
        """Start it, or start it again after a pause that grows while it keeps dying young."""
        if self._process is not None and self._process.poll() is not None:
            young = now - self._started_at < _STEADY_SECONDS
            self._failures = self._failures + 1 if young else 1
            pause = min(_LONGEST_PAUSE_SECONDS, 0.5 * 2 ** (self._failures - 1))
            self._start_at = now + pause
            say(
                f"The {self.name} ended ({_how(self._process.returncode)}); starting it again in {pause:g} s."
            )
            self._process = None
        if self._process is None and now >= self._start_at:
            self._started_at = now
            self._process = subprocess.Popen(  # noqa: S603 - our own command
                self.command,
                env=self.environment,
                cwd=self._cwd,
                process_group=0,  # Ctrl-C is ours to pass on, once
                preexec_fn=_end_with_parent,  # there are no threads here
            )

    def terminate(self) -> None:
        if self._process is not None and self.running:
            self._process.terminate()

    def kill(self) -> None:
        if self._process is not None and self.running:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


class Foreground:
    """Runs the services until SIGTERM, SIGINT or SIGHUP. `note` is where others find us: {pid, url}."""

    def __init__(
        self, services: Sequence[Service], *, address: Address, note: Path, say: Callable[[str], None]
    ) -> None:
        self._services, self._address, self._note, self._say = services, address, note, say
        self._stopping = threading.Event()

    def run(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: self._stopping.set())
        announced = False
        try:
            while not self._stopping.wait(_TICK_SECONDS):
                for service in self._services:
                    service.tend(time.monotonic(), self._say)
                if not announced and _answers(self._address.url):
                    self._announce()
                    announced = True
        finally:
            self._end()

    def _announce(self) -> None:
        self._note.parent.mkdir(parents=True, exist_ok=True)
        self._note.write_text(json.dumps({"pid": os.getpid(), "url": self._address.url}))
        self._say(f"Rapport is at {self._address.url} (Ctrl-C stops it).")

    def _end(self) -> None:
        self._say("Stopping; turns in hand are finished first.")
        if (serving_at(self._note) or {}).get("pid") == os.getpid():
            self._note.unlink(missing_ok=True)
        for service in self._services:
            service.terminate()
        deadline = time.monotonic() + _GRACE_SECONDS
        while any(service.running for service in self._services) and time.monotonic() < deadline:
            time.sleep(_TICK_SECONDS)
        for service in self._services:
            service.kill()


def services(address: Address, root: Path) -> list[Service]:
    """The web server and the worker, each told what it is before it reads its settings."""
    manage = [sys.executable, "manage.py"]
    web, worker = [*manage, "web", "--bind", address.bind], [*manage, "worker"]
    return [
        Service("web server", web, {**os.environ, "RAPPORT_PROCESS": "web"}, root),
        Service("worker", worker, {**os.environ, "RAPPORT_PROCESS": "worker"}, root),
    ]


def require_free(address: Address, *, note: Path) -> None:
    """Raises PortTaken, naming the next port that is free, and our own service if it is what listens there."""
    if _is_free(address.host, address.port):
        return
    told = serving_at(note)
    if told is not None and told["url"] == address.url:
        raise PortTaken(f"Rapport runs already, at {told['url']} (process {told['pid']}).")
    ports = range(address.port + 1, min(address.port + _PORTS_TRIED, 65536))
    free = next((port for port in ports if _is_free(address.host, port)), None)
    way_out = f"; --port {free} is free" if free else ""
    raise PortTaken(f"Port {address.port} on {address.host} is taken{way_out}.")


def serving_at(note: Path) -> dict[str, object] | None:
    """What a service in the foreground has written about itself; None without one that lives."""
    try:
        told: dict[str, object] = json.loads(note.read_text())
        os.kill(int(str(told["pid"])), 0)
    except (OSError, ValueError, KeyError):
        return None
    return told


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _is_free(host: str, port: int) -> bool:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as candidate:
        candidate.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            candidate.bind((host, port))
        except OSError:
            return False
    return True


def _answers(url: str) -> bool:
    try:
        with urlopen(f"{url}/healthz", timeout=1) as answer:  # noqa: S310 - our own address
            return bool(answer.status == 200)
    except (URLError, OSError):
        return False


def _how(status: int) -> str:
    return f"killed by {signal.Signals(-status).name}" if status < 0 else f"status {status}"


def _end_with_parent() -> None:
    """Have the kernel stop this child if we are killed: nobody would tend it. Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGTERM)
