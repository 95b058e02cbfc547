"""Rapport's own processes, as the service starts them: a web server and a worker, on a database of their own."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote, urlsplit

import psutil
import psycopg

from benchmarks.peers.places import ROOT
from benchmarks.peers.systems.base import House
from benchmarks.peers.systems.databases import create_database, drop_database, has_database, name_of
from config.rates import LIMITS
from config.serving import Address, services

TEMPLATE = "rapport_template"
LEASE_SECONDS = 15  # how long a killed worker's turns stay claimed; the service's default is 180
_PATIENCE_SECONDS = 60.0
_GRACE_SECONDS = 20.0
_POLL_SECONDS = 0.005
_BEATING = "SELECT count(*) FILTER (WHERE beat_at > %s) >= %s FROM relationships_workerheartbeat"
_OWED = """
SELECT EXISTS (SELECT FROM relationships_turn WHERE settled_at IS NULL AND due_at IS NOT NULL)
    OR EXISTS (SELECT FROM memory_searchtext WHERE due_at IS NOT NULL)
"""
_STATES = """
SELECT state, attempts, count(*), min(due_at)::text, min(lease_until)::text, min(error), now()::text
  FROM relationships_turn WHERE settled_at IS NULL GROUP BY state, attempts
"""


class RapportService:
    """`key`: what the model server is to know us by."""

    def __init__(self, house: House, key: str) -> None:
        self.house = house
        self.name = name_of(house)
        _make_template(house)
        self.database_url = create_database(house, self.name, template=TEMPLATE)
        self.environment = environment(house, self.name, key)
        self.address = Address("127.0.0.1", _free_port())
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._log = (house.folder / "service.log").open("ab")  # searched after an erasure, as all below
        self._workers_wanted = 1
        self._watch: psycopg.Connection[Any] | None = None

    def start(self, *kinds: str) -> None:
        """The kinds are "web server" and "worker", as config.serving calls them."""
        begun = datetime.now(UTC)
        for kind in kinds:
            self._run(kind, kind)
        for number in range(2, self._workers_wanted + 1):
            self._run("worker", f"worker {number}")
        if "web server" in kinds:
            _until(self._listens, "the web server")
        _until(lambda: self._ask(_BEATING, begun, self._workers_wanted), "the worker's heartbeat")

    def add_workers(self, count: int) -> None:
        """Have so many worker machines."""
        self._workers_wanted = max(count, self._workers_wanted)
        self.start()

    def settle(self, timeout: float) -> None:
        try:
            _until(lambda: not self._ask(_OWED), "every turn to be remembered", seconds=timeout)
        except TimeoutError as problem:
            raise TimeoutError(f"{problem} Owed: {self._rows(_STATES)}") from None

    def failed(self, user: str) -> list[str]:
        found = self._rows(
            "SELECT t.error FROM relationships_turn t JOIN relationships_relationship r ON r.id = t.relationship_id"
            " JOIN relationships_enduser u ON u.id = r.user_id WHERE u.external_id = %s AND t.state = 'failed'",
            user,
        )
        return [row[0] for row in found]

    def manage(self, *arguments: str) -> None:
        """manage.py; raises CalledProcessError."""
        command = [sys.executable, "manage.py", *arguments]
        subprocess.run(command, cwd=ROOT, env=self.environment, check=True, capture_output=True)

    def processes(self) -> list[psutil.Process]:
        found = []
        for running in self._running.values():
            with suppress(psutil.Error):
                process = psutil.Process(running.pid)
                found += [process, *process.children(recursive=True)]
        return found

    def kill(self) -> None:
        for running in self._running.values():
            with suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
            running.wait()
        self._running = {}

    def stop(self) -> None:
        if self._watch is not None:
            self._watch.close()
        for running in self._running.values():
            running.terminate()
        for running in self._running.values():
            with suppress(subprocess.TimeoutExpired):
                running.wait(_GRACE_SECONDS)
        self.kill()
        self._log.close()
        drop_database(self.house, self.name)

    def _run(self, kind: str, name: str) -> None:
        if name in self._running:
            return
        known = {service.name: service for service in services(self.address, ROOT)}[kind]
        own = {"RAPPORT_PROCESS": known.environment["RAPPORT_PROCESS"]}
        self._running[name] = subprocess.Popen(
            known.command,
            env=self.environment | own,
            cwd=ROOT,
            stdout=self._log,
            stderr=self._log,
            process_group=0,
        )

    def _listens(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex((self.address.host, self.address.port)) == 0

    def _ask(self, question: str, *values: Any) -> bool:
        return bool(self._rows(question, *values)[0][0])

    def _rows(self, question: str, *values: Any) -> list[tuple[Any, ...]]:
        if self._watch is None or self._watch.closed:
            self._watch = psycopg.connect(self.database_url, autocommit=True)
        return self._watch.execute(question.encode(), values).fetchall()


def environment(house: House, database: str, key: str) -> dict[str, str]:
    """Nothing of the caller's but what a program needs; what is said goes before a checkout's .env."""
    place = urlsplit(house.server_url)
    folder = unquote(place.netloc.rpartition("@")[2].partition(":")[0])
    return {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "HOME": str(house.folder),
        "PYTHONUNBUFFERED": "1",
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": f"postgresql://{place.username}@/{folder}/{database}",
        "RAPPORT_DATA_DIR": str(house.folder),
        "RAPPORT_PROCESS": "command",
        "RAPPORT_SECRET_KEY": "of the benchmark, which nobody else can reach",
        "RAPPORT_LLM_PROVIDER": "openai",
        "RAPPORT_EMBEDDING_PROVIDER": "openai",
        "RAPPORT_OPENAI_MODEL": house.model_name,
        "RAPPORT_OPENAI_EMBEDDING_MODEL": house.embedding_model,
        "RAPPORT_EMBEDDING_DIMENSIONS": str(house.dimensions),
        # counted as in production, and never reached
        **{f"RAPPORT_RATE_{name.upper()}": "1000000/second" for name in LIMITS},
        "RAPPORT_LEASE_SECONDS": str(LEASE_SECONDS),
        "RAPPORT_PROVIDER_DEADLINE": str(LEASE_SECONDS),  # no call may outlast its lease
        "RAPPORT_EMBEDDING_DEADLINE": str(LEASE_SECONDS),
        "OPENAI_BASE_URL": house.model_url,
        "OPENAI_API_KEY": key,
    }


def _make_template(house: House) -> None:
    """A migrated database, made once: every fresh one is a copy of it."""
    if has_database(house, TEMPLATE):
        return
    create_database(house, TEMPLATE)
    command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    subprocess.run(command, cwd=ROOT, env=environment(house, TEMPLATE, "none"), check=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _until(condition: Callable[[], Any], what: str, *, seconds: float = _PATIENCE_SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"Waited {seconds:g} s for {what}.")
        time.sleep(_POLL_SECONDS)
