"""The service under measurement: databases on the embedded server, and the processes that `manage.py serve` starts."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import psutil
import psycopg
from django.conf import settings
from django.db import connection, connections
from psycopg import sql

from config.embedded_postgres import database_url

ROOT = Path(__file__).resolve().parent.parent
HOST = "127.0.0.1"
_PATIENCE_SECONDS = 180.0  # a busy machine starts nothing quickly
_GRACE_SECONDS = 20.0
_BEATING = "SELECT count(*) FILTER (WHERE beat_at > %s) >= %s FROM relationships_workerheartbeat"
_OWED = """
SELECT EXISTS (SELECT FROM relationships_turn WHERE settled_at IS NULL AND due_at IS NOT NULL)
    OR EXISTS (SELECT FROM memory_searchtext WHERE due_at IS NOT NULL)
"""
_STATES = """
SELECT state, attempts, count(*), min(due_at)::text, min(lease_until)::text, min(error), now()::text
  FROM relationships_turn WHERE settled_at IS NULL GROUP BY state, attempts
"""
T = TypeVar("T")


class Service:
    """The web server and workers on one database, each started and ended as a measurement wants it.

    `environment`: all that the processes see, beside the address of the database. `log`: where they write.
    """

    def __init__(
        self,
        database: str | None = None,
        *,
        environment: Mapping[str, str] | None = None,
        log: Path | None = None,
    ) -> None:
        self.url = address_of(database or str(settings.DATABASES["default"]["NAME"]))
        self.port, self.chat_port = _free_port(), _free_port()
        self._environment = {**(environment or os.environ), "DATABASE_URL": self.url}
        self._log = log.open("ab") if log else None
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._watch: psycopg.Connection[Any] | None = None

    def start_web(self) -> None:
        self._start("web", "web", "--bind", f"{HOST}:{self.port}")
        until(lambda: _listens(self.port), what="the web server")

    def start_chat(self) -> None:
        """A second group of server processes, for replies."""
        self._start("web for chats", "web", "--chats", "--bind", f"{HOST}:{self.chat_port}")
        until(lambda: _listens(self.chat_port), what="the second web server")

    def start_worker(self, count: int = 1) -> None:
        """Unless they run; until all of them say that they live."""
        begun = datetime.now(UTC)
        new = sum(self._start(f"worker {number}", "worker") for number in range(count))
        until(lambda: self.ask(_BEATING, begun, new)[0][0], what="the worker's first heartbeat")

    def stop_worker(self) -> None:
        self._end([name for name in self._running if name.startswith("worker")])

    def settle(self, seconds: float) -> None:
        """Wait until no turn and no text waits for a worker. Raises TimeoutError."""
        try:
            until(lambda: not self.ask(_OWED)[0][0], what="the last turn to be read", seconds=seconds)
        except TimeoutError as problem:
            raise TimeoutError(f"{problem} Owed: {self.ask(_STATES)}") from None

    def kill(self) -> None:
        """kill -9 of all. None of their children listens any more afterwards."""
        running = self.processes()
        for process in self._running.values():
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        psutil.wait_procs([*running["web"], *running["worker"]], timeout=_GRACE_SECONDS)
        self._running = {}

    def close(self) -> None:
        self._end(list(self._running))
        if self._watch is not None:
            self._watch.close()
        if self._log is not None:
            self._log.close()

    def processes(self) -> dict[str, list[psutil.Process]]:
        """The running processes by service: `web`, `worker` and `database`, without what answers `ask`."""
        asked = self._watch.info.backend_pid if self._watch is not None and not self._watch.closed else 0
        database = [process for process in postgres() if process.pid != asked]
        found: dict[str, list[psutil.Process]] = {"web": [], "worker": [], "database": database}
        for name, running in self._running.items():
            with suppress(psutil.Error):
                process = psutil.Process(running.pid)
                found[name.split()[0]] += [process, *process.children(recursive=True)]
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

    def _start(self, name: str, *arguments: str) -> bool:
        """Whether it was not there yet."""
        if name in self._running:
            return False
        self._running[name] = subprocess.Popen(
            [sys.executable, "manage.py", *arguments],
            env={**self._environment, "RAPPORT_PROCESS": arguments[0]},
            cwd=ROOT,
            stdout=self._log,
            stderr=self._log,
            process_group=0,  # so that all of it can be killed at once
        )
        return True

    def _end(self, names: list[str]) -> None:
        ending = [self._running[name] for name in names]
        for process in ending:
            process.terminate()
        for process in ending:
            with suppress(subprocess.TimeoutExpired):
                process.wait(_GRACE_SECONDS)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for name in names:
            del self._running[name]


@contextmanager
def running_service() -> Iterator[Service]:
    """The web server on the default database."""
    service = Service()
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
    begun = []
    try:
        for name, module in (("BENCH_MODEL_URL", instant), ("BENCH_STREAM_URL", ["benchmarks.streams"])):
            command = [sys.executable, "-m", *module]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
            begun.append(process)
            assert process.stdout is not None
            os.environ[name] = process.stdout.readline().strip()
        yield
    finally:
        for process in begun:
            process.terminate()
            process.wait()


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


def server_version() -> str:
    with psycopg.connect(address_of("postgres")) as server:
        return f"{server.info.parameter_status('server_version')}, embedded"


def postgres() -> list[psutil.Process]:
    note = (data_folder() / "postmaster.pid").read_text()
    postmaster = psutil.Process(int(note.splitlines()[0]))
    return [postmaster, *postmaster.children(recursive=True)]


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


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == 0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])
