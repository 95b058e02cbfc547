"""The service under measurement: databases on the embedded server, and the processes that `manage.py serve` starts."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import psutil
import psycopg
from django.conf import settings
from django.db import connection, connections
from psycopg import sql

from config.embedded_postgres import database_url
from tests.acceptance.processes import ROOT, LiveProcess, free_port, status_of

HOST = "127.0.0.1"
_PATIENCE_SECONDS = 180.0  # a busy machine starts nothing quickly
_BEATING = "SELECT count(*) FILTER (WHERE beat_at > %s) > 0 FROM relationships_workerheartbeat"
_OWED = """
SELECT EXISTS (SELECT FROM relationships_turn WHERE settled_at IS NULL AND due_at IS NOT NULL)
    OR EXISTS (SELECT FROM memory_searchtext WHERE due_at IS NOT NULL)
"""
T = TypeVar("T")


class Service:
    """The web server and the worker on one database, each started and ended as a measurement wants it.

    `environment`: all that the processes see, beside the address of the database. Their logs are in `folder`.
    """

    def __init__(
        self, database: str, *, environment: Mapping[str, str] | None = None, folder: Path | None = None
    ) -> None:
        self.url = address_of(database)
        self.port, self.chat_port = free_port(), free_port()
        self._environment = {**(environment or os.environ), "DATABASE_URL": self.url}
        self._folder = folder or Path(settings.DATA_DIR)
        self._running: dict[str, LiveProcess] = {}
        self._watch: psycopg.Connection[Any] | None = None

    def start_web(self) -> None:
        self._start_web("web", self.port)

    def start_chat(self) -> None:
        """A second group of server processes, for replies."""
        self._start_web("web for chats", self.chat_port, "--chats")

    def start_worker(self) -> None:
        """Unless it runs; until it says that it lives."""
        begun = datetime.now(UTC)
        if self._start("worker", "worker"):
            until(lambda: self.ask(_BEATING, begun)[0][0], what="the worker's first heartbeat")

    def stop_worker(self) -> None:
        if worker := self._running.pop("worker", None):
            worker.stop()
            worker.kill_all()

    def settle(self, seconds: float) -> None:
        """Wait until no turn and no text waits for a worker. Raises TimeoutError."""
        until(lambda: not self.ask(_OWED)[0][0], what="the last turn to be read", seconds=seconds)

    def kill(self) -> None:
        """kill -9 of all. None of their children listens any more afterwards."""
        running = [process for started in self._running.values() for process in started.family()]
        for started in self._running.values():
            started.kill_all()
        psutil.wait_procs(running, timeout=20)
        self._running = {}

    def close(self) -> None:
        for started in self._running.values():
            started.stop()
        self.kill()
        if self._watch is not None:
            self._watch.close()

    def processes(self) -> dict[str, list[psutil.Process]]:
        """The running processes by service: `web`, `worker` and `database`, without what answers `ask`."""
        asked = self._watch.info.backend_pid if self._watch is not None and not self._watch.closed else 0
        database = [process for process in postgres() if process.pid != asked]
        found: dict[str, list[psutil.Process]] = {"web": [], "worker": [], "database": database}
        for name, started in self._running.items():
            found[name.split()[0]] += started.family()
        return found

    def ask(self, question: str, *values: Any) -> list[tuple[Any, ...]]:
        """The database, apart from Django's connection."""
        if self._watch is None or self._watch.closed:
            self._watch = psycopg.connect(self.url, autocommit=True)
        return self._watch.execute(question.encode(), values).fetchall()

    def manage(self, *arguments: str) -> None:
        """manage.py; raises CalledProcessError."""
        command = [sys.executable, "manage.py", *arguments]
        subprocess.run(command, cwd=ROOT, env=self._environment, check=True, capture_output=True)

    def _start_web(self, name: str, port: int, *options: str) -> None:
        self._start(name, "web", *options, "--bind", f"{HOST}:{port}")
        until(lambda: self._answers(name, port), what=f"the {name} server")

    def _answers(self, name: str, port: int) -> bool:
        """Raises AssertionError, with the end of its log, where it has ended."""
        self._running[name].require_running()
        return status_of(f"http://{HOST}:{port}/healthz") == 200

    def _start(self, name: str, *arguments: str) -> bool:
        """Whether it was not there yet."""
        if name in self._running:
            return False
        environment = {**self._environment, "RAPPORT_PROCESS": arguments[0]}
        log = self._folder / f"{name.replace(' ', '-')}.log"
        command = [sys.executable, "manage.py", *arguments]
        self._running[name] = LiveProcess(name, command, environment, log)
        return True


@contextmanager
def running_service() -> Iterator[Service]:
    """The web server on the default database."""
    service = Service(str(settings.DATABASES["default"]["NAME"]))
    try:
        service.start_web()
        yield service
    finally:
        service.close()


@contextmanager
def models() -> Iterator[None]:
    """Models behind OpenAI's protocol, in processes of their own: one that answers at once, one that streams.
    BENCH_MODEL_URL and BENCH_STREAM_URL name them.
    """
    instant = ["tests.vendor_servers.openai_server", "--respond", "benchmarks.instant.respond", "--keep", "0"]
    with program(*instant) as (_, instantly), program("benchmarks.streams") as (_, streaming):
        os.environ |= {"BENCH_MODEL_URL": instantly, "BENCH_STREAM_URL": streaming}
        yield


@contextmanager
def program(*module: str) -> Iterator[tuple[psutil.Process, str]]:
    """A Python program of ours in a process of its own, and the address that it prints first."""
    with subprocess.Popen(
        [sys.executable, "-m", *module], stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        try:
            yield psutil.Process(process.pid), process.stdout.readline().strip()
        finally:
            process.terminate()


def data_folder() -> Path:
    """The embedded server's."""
    folder: Path | None = settings.EMBEDDED_POSTGRES_DIR
    assert folder is not None, "own_settings() chose it"
    return folder


def address_of(database: str) -> str:
    return database_url(data_folder(), name=database)


def create_database(name: str, *, template: str = "template0") -> None:
    """A fresh one; whatever had this name is dropped. Nobody may be connected to the template."""
    connections.close_all()
    drop_database(name)
    _on_server("CREATE DATABASE {} TEMPLATE {}", name, template)


def drop_database(name: str) -> None:
    _on_server("DROP DATABASE IF EXISTS {} WITH (FORCE)", name)


def use_database(name: str) -> None:
    """Have Django speak to it from now on."""
    connections.close_all()
    connection.settings_dict["NAME"] = name


@contextmanager
def statements() -> Iterator[list[str]]:
    """Every statement of Django's connection that asks or changes something."""
    seen: list[str] = []

    def note(execute: Any, sql: str, *rest: Any) -> Any:
        seen.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        yield seen


def postgres(*folders: Path) -> list[psutil.Process]:
    """All processes of these servers; of the embedded one without any."""
    found: list[psutil.Process] = []
    for folder in folders or [data_folder()]:
        postmaster = psutil.Process(int((folder / "postmaster.pid").read_text().splitlines()[0]))
        found += [postmaster, *postmaster.children(recursive=True)]
    return found


def until(condition: Callable[[], T], *, what: str, seconds: float = _PATIENCE_SECONDS) -> T:
    """What `condition` answers, once it is truthy. Raises TimeoutError."""
    deadline = time.monotonic() + seconds
    while not (answer := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"Waited {seconds:g} s for {what}.")
        time.sleep(0.005)
    return answer


def _on_server(statement: str, *names: str) -> None:
    with psycopg.connect(address_of("postgres"), autocommit=True) as server:
        server.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))
