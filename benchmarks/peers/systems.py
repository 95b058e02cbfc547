"""The compared systems behind the same functions: Rapport over HTTP, and its alternatives.

A measure never checks which system it has. A function that a system does not have raises NotThere, which the report
quotes. Each peer runs in its own process (benchmarks.peers.hosted.host).
"""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from secrets import token_hex
from typing import Any, ClassVar

import psutil
import pytest

from benchmarks.peers.hosted.host import AUTHKEY, DIMENSIONS, Call, PeerManager, Setup, Timed, Turn
from benchmarks.service import address_of, postgres
from benchmarks.timing import Processes
from tests.acceptance.database import create_database, drop_database
from tests.environments import ROOT, python_with

_LINES = Path(__file__).with_name("requirements.txt").read_text().splitlines()
_PINS = {re.split(r"[\[=]", line)[0]: line.split()[0] for line in _LINES if "==" in line}
_OF_ALL = ("openai", "psycopg", "pgvector")


class NotThere(Exception):
    """The system has no such function, or can't be installed. The message says what is missing, for the report."""


def python_of(packages: Sequence[str]) -> Path:
    """The interpreter of an environment with these packages, as pinned. Raises NotThere if one can't be installed."""
    try:
        return python_with(*(_PINS[package] for package in dict.fromkeys((*packages, *_OF_ALL))))
    except pytest.skip.Exception as problem:
        raise NotThere(str(problem)) from problem


class Child:
    """A peer's process. Its functions may be called from several threads at once."""

    def __init__(self, system: "System") -> None:
        folder = system.folder
        self._log = (folder / "child.log").open("ab")  # in the folder that is searched after an erasure
        key = token_hex()
        # Without the caller's keys, proxies and settings of vendors.
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "PYTHONUNBUFFERED": "1", AUTHKEY: key}
        self.process = subprocess.Popen(
            [str(python_of(system.packages)), "-m", f"benchmarks.peers.hosted.{system.name}_peer"],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        assert self.process.stdout is not None
        port = int(self.process.stdout.readline() or 0)
        if not port:
            self.end()
            raise RuntimeError(f"its process did not start; see {self._log.name}")
        manager = PeerManager(("127.0.0.1", port), key.encode())
        manager.connect()
        self._peer: Any = manager.peer()  # type: ignore[attr-defined]

    def call(self, verb: str, *given: Any) -> Any:
        """Raises RuntimeError if the peer raised an error; OSError or EOFError if the process has ended."""
        value, error = self._peer.call(verb, *given)
        if error:
            raise RuntimeError(error)
        return value

    def end(self) -> None:
        """kill -9, as some systems have threads that do not end."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self._log):
            if pipe is not None:
                pipe.close()


class System:
    """A system. Its functions may be called from several threads at once; these are a peer's, and Rapport has its own.

    `name` is also the API key by which the model server tells the systems apart. `user`: letters, digits and dashes.
    """

    name: ClassVar[str]  # in tables
    title: ClassVar[str]  # in the report
    packages: ClassVar[Sequence[str]] = ()  # of requirements.txt, besides those that all peers have
    settings: ClassVar[str]  # for the report: what differs from the defaults, and why
    _child: Child

    def __init__(self, folder: Path, model_url: str, dimensions: int = DIMENSIONS) -> None:
        """`folder`: for all files that the system writes."""
        self.folder, self.model_url, self.dimensions = folder, model_url, dimensions
        self.database = folder.name.replace("-", "_")
        self.database_url = address_of(self.database)

    @classmethod
    def version(cls) -> str:
        """Raises NotThere if it can't be installed."""
        python_of(cls.packages)
        return ", ".join(_PINS[package].replace("==", " ") for package in cls.packages)

    def start(self) -> None:
        """Start on a new database."""
        create_database(self.database)
        self._child = Child(self)
        setup = Setup(self.database_url, str(self.folder), self.model_url, self.name, self.dimensions)
        self._child.call("start", setup)

    def hand_over(self, user: str, messages: Turn) -> None:
        """Hand over a turn; return when the reply need not wait any longer. Raises what the system's client raises."""
        self._child.call("hand_over", user, messages)

    def settle(self, seconds: float) -> None:
        """Wait until all turns are remembered or have visibly failed. Raises TimeoutError."""

    def fetch(self, user: str, question: str) -> list[str]:
        """The memories that the model would be shown for its next reply, best or newest first."""
        return list(self._child.call("fetch", user, question))

    def stored(self, user: str) -> list[str]:
        """All memories about a person."""
        return list(self._child.call("stored", user))

    def failed(self, user: str) -> list[str]:
        """Errors of turns that failed after they were handed over; [] if the system does not report any."""
        return []

    def delete_person(self, user: str) -> None:
        """Delete a person by the documented call."""
        self._child.call("delete_person", user)

    def purge(self) -> None:
        """Purge deleted data by the system's own command. Raises NotThere."""
        raise NotThere("no purge of its own")

    def remember(self, user: str, texts: Sequence[str]) -> None:
        """Store these memories without asking the model for words."""
        self._child.call("remember", user, texts)

    def time(self, calls: Sequence[Call], clients: int) -> Timed:
        """Make the calls with this many clients, each of which takes the next call. Timed around the call."""
        timed: Timed = self._child.call("time", calls, clients)
        return timed

    def processes(self) -> Processes:
        """Its own process, and all of the database's, as no other system is used at the same time."""
        return {"library": [psutil.Process(self._child.process.pid)], "database": postgres()}

    def stop(self) -> None:
        """End all processes of the system, as far as they were started, and remove its database."""
        if hasattr(self, "_child"):
            self._child.end()
        drop_database(self.database)


class Mem0(System):
    name, title = "mem0", "mem0 (library, pgvector)"
    packages: ClassVar[Sequence[str]] = ("mem0ai",)
    settings = (
        "pgvector with its HNSW index (default), maxconn 20 instead of 5: no thread waits; top_k 20, threshold 0.1 "
        "(defaults); history in SQLite; telemetry off; without the extra [nlp]: no spaCy, which would cost time"
    )


class LangMem(System):
    name, title = "langmem", "LangMem (store manager, AsyncPostgresStore)"
    packages = ("langmem", "langgraph-checkpoint-postgres", "langchain-openai")
    settings = (
        "AsyncPostgresStore (the other serves one caller at a time), HNSW index (default); "
        "create_memory_store_manager, invoked in the request (its hot path), enable_deletes; query_limit 20, not 5"
    )


class Baseline(System):
    name, title, packages = "baseline", "Baseline (one table, every message, cosine)", ("pgvector",)
    settings = "70 lines; a B-tree by person, exact cosine, the nearest 20"
