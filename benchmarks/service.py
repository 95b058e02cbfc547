"""The measured service: databases on the embedded server, and the processes that `manage.py serve` starts."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import psutil
import psycopg
from django.conf import settings
from django.db import connection, connections

from config.embedded_postgres import database_url, running_pid
from tests.acceptance.processes import ROOT, LiveProcess, free_port, status_of

HOST = "127.0.0.1"
_START_SECONDS = 180.0  # on a busy machine
_BEATING = "SELECT count(*) FILTER (WHERE beat_at > %s) > 0 FROM relationships_workerheartbeat"
_OWED = """
SELECT EXISTS (SELECT FROM relationships_turn WHERE settled_at IS NULL AND due_at IS NOT NULL)
    OR EXISTS (SELECT FROM memory_searchtext WHERE due_at IS NOT NULL)
"""


class Service:
    """A web server and a worker on one database, started separately.

    `environment`: of the processes, to which the database's address is added. Their logs are written to `folder`.
    """

    def __init__(
        self, database: str, *, environment: Mapping[str, str] | None = None, folder: Path | None = None
    ) -> None:
        self.url = address_of(database)
        self.port, self.chat_port = free_port(), free_port()
        self._environment = {**(environment or os.environ), "DATABASE_URL": self.url}
        self._folder = folder or Path(settings.DATA_DIR)
        self._running: dict[str, LiveProcess] = {}

    def start_web(self) -> None:
        self._start_web("web", self.port)

    def start_chat(self) -> None:
        """Start a second group of server processes, for replies."""
        self._start_web("web for chats", self.chat_port, "--chats")

    def start_worker(self) -> None:
        """Start the worker if it does not run, and wait for its first heartbeat."""
        if "worker" not in self._running:
            begun = datetime.now(UTC)
            self._start("worker", "worker")
            until(lambda: self.ask(_BEATING, begun)[0][0], what="the worker's first heartbeat")

    def stop_worker(self) -> None:
        if worker := self._running.pop("worker", None):
            worker.stop()
            worker.kill_all()

    def settle(self, seconds: float) -> None:
        """Wait until no turn and no text waits for a worker. Raises TimeoutError."""
        until(lambda: not self.ask(_OWED)[0][0], what="the last turn to be read", seconds=seconds)

    def close(self) -> None:
        for started in self._running.values():
            started.stop()
            started.kill_all()
        self._watch.close()

    def processes(self) -> dict[str, list[psutil.Process]]:
        """The running processes of `web`, `worker` and `database`, except the session of `ask`."""
        asked = self._watch.info.backend_pid
        database = [process for process in postgres() if process.pid != asked]
        found: dict[str, list[psutil.Process]] = {"web": [], "worker": [], "database": database}
        for name, started in self._running.items():
            found[name.split()[0]] += started.family()
        return found

    def ask(self, question: str, *values: Any) -> list[tuple[Any, ...]]:
        """Query the database over a connection that Django does not use."""
        return self._watch.execute(question.encode(), values).fetchall()

    @cached_property
    def _watch(self) -> psycopg.Connection[Any]:
        return psycopg.connect(self.url, autocommit=True)

    def manage(self, *arguments: str) -> str:
        """Run manage.py with these arguments, and return its output. Raises CalledProcessError."""
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.check_output(command, cwd=ROOT, env=self._environment, text=True)

    def _start_web(self, name: str, port: int, *options: str) -> None:
        server = self._start(name, "web", *options, "--bind", f"{HOST}:{port}")

        def answers() -> bool:
            server.require_running()
            return status_of(f"http://{HOST}:{port}/healthz") == 200

        until(answers, what=f"the {name} server")

    def _start(self, name: str, *arguments: str) -> LiveProcess:
        environment = {**self._environment, "RAPPORT_PROCESS": arguments[0]}
        log = self._folder / f"{name.replace(' ', '-')}.log"
        command = [sys.executable, "manage.py", *arguments]
        self._running[name] = LiveProcess(name, command, environment, log)
        return self._running[name]


@contextmanager
def running_service() -> Iterator[Service]:
    """The web server on the default database."""
    with closing(Service(str(settings.DATABASES["default"]["NAME"]))) as service:
        service.start_web()
        yield service


@contextmanager
def models() -> Iterator[None]:
    """Two models that speak OpenAI's protocol, each in its own process: one answers at once, one streams.

    Their addresses are in BENCH_MODEL_URL and BENCH_STREAM_URL.
    """
    instant = ["tests.vendor_servers.openai_server", "--respond", "benchmarks.instant.respond", "--keep", "0"]
    with program(*instant) as (_, instantly), program("benchmarks.streams") as (_, streaming):
        os.environ |= {"BENCH_MODEL_URL": instantly, "BENCH_STREAM_URL": streaming}
        yield


@contextmanager
def program(*module: str) -> Iterator[tuple[psutil.Process, str]]:
    """Run a Python module in its own process. Yields the process, and the address that it prints first."""
    with subprocess.Popen(
        [sys.executable, "-m", *module], stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        try:
            yield psutil.Process(process.pid), process.stdout.readline().strip()
        finally:
            process.terminate()


def data_folder() -> Path:
    """The data folder of the embedded server."""
    folder: Path | None = settings.EMBEDDED_POSTGRES_DIR
    assert folder is not None, "own_settings() chose it"
    return folder


def address_of(database: str) -> str:
    return database_url(data_folder(), name=database)


def use_database(name: str) -> None:
    """Connect Django to this database from now on."""
    connections.close_all()
    connection.settings_dict["NAME"] = name


@contextmanager
def statements() -> Iterator[list[str]]:
    """Record the statements of Django's connection, without those that begin or end a transaction."""
    seen: list[str] = []

    def note(execute: Any, sql: str, *rest: Any) -> Any:
        seen.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        yield seen


def postgres(*folders: Path) -> list[psutil.Process]:
    """All processes of the servers with these data folders; of the embedded server if there are none."""
    found: list[psutil.Process] = []
    for folder in folders or [data_folder()]:
        postmaster = psutil.Process(running_pid(folder))
        found += [postmaster, *postmaster.children(recursive=True)]
    return found


def until(condition: Callable[[], bool], *, what: str, seconds: float = _START_SECONDS) -> None:
    """Check a condition every 5 ms, as some measurements include the waiting. Raises TimeoutError."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"Waited {seconds:g} s for {what}.")
        time.sleep(0.005)
