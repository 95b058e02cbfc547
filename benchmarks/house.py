"""The service under measurement: a database of its own and the processes that `manage.py serve` starts."""

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

import psutil
from django.conf import settings
from django.core.management import call_command
from django.db import connection, connections

from config.embedded_postgres import start_if_used, stop
from config.serving import Address, Service, services
from relationships.models import WorkerHeartbeat

_PATIENCE_SECONDS = 60.0
T = TypeVar("T")


class House:
    """The web server and the worker, each started and stopped as a measurement wants it."""

    def __init__(self) -> None:
        self.address = Address("127.0.0.1", _free_port())
        self._running: dict[str, Service] = {}

    def start_web(self) -> None:
        self._start("web server")
        until(lambda: _listens(self.address), what="the web server")

    def start_worker(self, *, wait: bool = True) -> None:
        """Unless it runs; with `wait`, until it says that it lives."""
        self._start("worker")
        if wait:
            until(WorkerHeartbeat.objects.exists, what="the worker's first heartbeat")

    def stop_worker(self) -> None:
        self._stop("worker")

    def close(self) -> None:
        for name in list(self._running):
            self._stop(name)

    def _start(self, name: str) -> None:
        if name not in self._running:
            known = {service.name: service for service in services(self.address, settings.BASE_DIR)}
            self._running[name] = known[name]
            self._running[name].tend(time.monotonic(), print)

    def _stop(self, name: str) -> None:
        service = self._running.pop(name, None)
        if service is None:
            return
        service.terminate()
        with suppress(TimeoutError):
            until(lambda: not service.running, what=name)
        service.kill()

    def processes(self) -> dict[str, list[psutil.Process]]:
        """The running processes by service: `web`, `worker` and `database`."""
        found: dict[str, list[psutil.Process]] = {"web": [], "worker": [], "database": _postgres()}
        for child in psutil.Process().children():
            with suppress(psutil.Error):
                kind = _kind_of(child)
                if kind:
                    found[kind] += [child, *child.children(recursive=True)]
        return found


@contextmanager
def open_house() -> Iterator[House]:
    """A migrated database with nothing in it, and the web server. Everything is stopped at the end."""
    start_if_used()
    call_command("migrate", verbosity=0)
    house = House()
    try:
        house.start_web()
        yield house
    finally:
        house.close()
        connections.close_all()
        if settings.EMBEDDED_POSTGRES_DIR:
            stop(settings.EMBEDDED_POSTGRES_DIR)


@contextmanager
def instant_model() -> Iterator[str]:
    """The address of a model behind OpenAI's protocol that answers at once, in a process of its own."""
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "tests.vendor_servers.openai_server"),
            *("--respond", "benchmarks.instant.respond", "--keep", "0"),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


def until(condition: Callable[[], T], *, what: str, seconds: float = _PATIENCE_SECONDS) -> T:
    """What `condition` answers, once it is truthy. Raises TimeoutError."""
    deadline = time.monotonic() + seconds
    while not (answer := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"Waited {seconds:g} s for {what}.")
        time.sleep(0.02)
    return answer


def server_version() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        return str(cursor.fetchone()[0])


def _postgres() -> list[psutil.Process]:
    if settings.EMBEDDED_POSTGRES_DIR is None:
        return []
    told = (settings.EMBEDDED_POSTGRES_DIR / "postmaster.pid").read_text()
    postmaster = psutil.Process(int(told.splitlines()[0]))
    return [postmaster, *postmaster.children()]


def _kind_of(process: psutil.Process) -> str:
    words = process.cmdline()
    if "granian" in words:
        return "web"
    return "worker" if "worker" in words else ""


def _listens(address: Address) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((address.host, address.port)) == 0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
