"""What is measured, each behind the same few verbs: Rapport over HTTP, and what a user would pick instead.

A measure never asks which system it holds. What a system has no verb for raises NotThere, and the report says so. The
peers live in a process of their own each (benchmarks.peers.hosted.host).
"""

import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from secrets import token_hex
from typing import Any, ClassVar

import psutil
import psycopg

from benchmarks.peers.environment import PEERS_PYTHON, ROOT
from benchmarks.peers.hosted.host import AUTHKEY, DIMENSIONS, Call, PeerManager, Setup, Timed, Turn
from benchmarks.service import address_of, create_database, drop_database, postgres
from benchmarks.timing import Processes


class NotThere(Exception):
    """The system has no such verb, or isn't installed. The message says what is missing, for the report."""


class Failed(Exception):
    """What a call raised in the peer's process."""


class Child:
    """A peer's process, which serves its verbs on loopback. Calls may be made from several threads at once."""

    def __init__(self, folder: Path, module: str, *words: str) -> None:
        self._log = (folder / "child.log").open("ab")  # searched after an erasure, as all below the folder
        key = token_hex()
        # Nothing of the caller's but what a program needs: no key, no proxy, no setting of a vendor.
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "PYTHONUNBUFFERED": "1", AUTHKEY: key}
        self.process = subprocess.Popen(
            [str(PEERS_PYTHON), "-m", f"benchmarks.peers.hosted.{module}", *words],
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

    def call(self, verb: str, *given: Any, **named: Any) -> Any:
        """Raises Failed with what the peer raised; OSError or EOFError when the process is gone."""
        value, error = self._peer.call(verb, *given, **named)
        if error:
            raise Failed(error)
        return value

    def end(self) -> None:
        """kill -9: a system's own threads may not want to end."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self._log):
            if pipe is not None:
                pipe.close()


class System:
    """Verbs may be called from several threads at once. `user` is any short text of letters, digits and dashes.

    The model server tells systems apart by `name`: it is the API key each of them sends. Here they are a peer's.
    """

    name: ClassVar[str]  # short, as in tables: "mem0"
    title: ClassVar[str]  # as in the report: "mem0 (library, pgvector)"
    packages: ClassVar[Sequence[str]] = ()  # whose versions the report tells
    settings: ClassVar[str]  # what differs from the defaults and why, for the report
    _child: Child

    def __init__(self, folder: Path, model_url: str, dimensions: int = DIMENSIONS) -> None:
        """`folder`: whatever the system writes outside the database goes below it."""
        self.folder, self.model_url, self.dimensions = folder, model_url, dimensions
        self.database = folder.name.replace("-", "_")
        self.database_url = address_of(self.database)

    @classmethod
    def version(cls) -> str:
        """Raises NotThere when it isn't installed."""
        return ", ".join(f"{package} {version_of(package)}" for package in cls.packages)

    def start(self) -> None:
        """On a fresh database."""
        create_database(self.database)
        self._begin(first=True)

    def start_again(self) -> None:
        """After `kill`, on the same database and folder."""
        self._begin(first=False)

    def hand_over(self, user: str, messages: Turn, *, key: str | None = None) -> None:
        """Give it one turn; returns when a reply need wait no longer. Raises whatever the system's client raises.

        `key` makes the same call twice one turn, where the system has such a thing; others ignore it.
        """
        self._child.call("hand_over", user, messages)

    def settle(self, seconds: float) -> None:
        """Wait until all that was handed over is remembered, or has visibly failed. Raises TimeoutError."""

    def is_settled(self) -> bool:
        try:
            self.settle(0)
        except TimeoutError:
            return False
        return True

    def fetch(self, user: str, question: str) -> list[str]:
        """The remembered texts that the model would be shown for its next reply, best or newest first."""
        return list(self._child.call("fetch", user, question))

    def stored(self, user: str) -> list[str]:
        """Every text that is stored as a memory about them now."""
        return list(self._child.call("stored", user))

    def failed(self, user: str) -> list[str]:
        """What was handed over and visibly failed, as the system itself reports it later; [] where it can't say."""
        return []

    def delete_person(self, user: str) -> None:
        """By the documented call for it; returns when it says that it is done."""
        self._child.call("delete_person", user)

    def purge(self) -> None:
        """The system's own purge of what was deleted. Raises NotThere."""
        raise NotThere("no purge of its own")

    def load(self, memories: Mapping[str, Sequence[str]]) -> None:
        """Store memories, by user, as they would be after having been learnt: no model is asked."""
        self._child.call("load", memories)
        with psycopg.connect(self.database_url, autocommit=True) as server:
            server.execute("ANALYZE")  # as PostgreSQL does by itself within minutes of many new rows

    def time(self, calls: Sequence[Call], clients: int) -> Timed:
        """Make the calls with so many clients at once, each taking the next; timed where the caller would stand."""
        timed: Timed = self._child.call("time", calls, clients)
        return timed

    def processes(self) -> Processes:
        """Its own, and all of the database's: whoever else has rows there asks for nothing meanwhile."""
        return {"library": [psutil.Process(self._child.process.pid)], "database": postgres()}

    def kill(self) -> None:
        """kill -9 of everything of the system that writes, the database excepted. Calls under way raise."""
        if hasattr(self, "_child"):
            self._child.end()

    def stop(self) -> None:
        self.kill()
        drop_database(self.database)

    def _begin(self, *, first: bool) -> None:
        self._child = Child(self.folder, f"{self.name}_peer")
        self._child.call("start", self._setup(), first=first)

    def _setup(self) -> Setup:
        return Setup(self.database_url, str(self.folder), self.model_url, self.name, self.dimensions)


class Mem0(System):
    name, title = "mem0", "mem0 (library, pgvector)"
    packages: ClassVar[Sequence[str]] = ("mem0ai",)
    settings = (
        "pgvector with its HNSW index (default), maxconn 20 instead of 5: no thread waits; top_k 20, threshold 0.1 "
        "(defaults); history in SQLite; telemetry off; without the extra [nlp]: no spaCy, which would cost time"
    )


class Mem0ByHttp(Mem0):
    """The library behind HTTP, asked by mem0's own client, as is `rapport-mem0`."""

    name, title = "mem0-http", "mem0 (library behind HTTP, by mem0's client)"
    packages = ("mem0ai", "starlette", "uvicorn")
    settings = f"{Mem0.settings}; Starlette and uvicorn, as in their REST server: one process, a thread for each call"
    _server: Child

    def kill(self) -> None:
        super().kill()
        if hasattr(self, "_server"):
            self._server.end()

    def _begin(self, *, first: bool) -> None:
        self._server = Child(self.folder, "mem0_http", "server")
        self._server.call("start", self._setup(), first=first)
        self._child = Child(self.folder, "mem0_http")
        asked = self._setup()._replace(database_url=self._server.call("address"))
        self._child.call("start", asked, first=first)


class LangMem(System):
    name, title = "langmem", "LangMem (store manager, AsyncPostgresStore)"
    packages = ("langmem", "langgraph-checkpoint-postgres")
    settings = (
        "AsyncPostgresStore (the other serves one caller at a time), HNSW index (default); "
        "create_memory_store_manager, invoked in the request (its hot path), enable_deletes; query_limit 20, not 5"
    )


class Baseline(System):
    name, title, packages = "baseline", "Baseline (one table, every message, cosine)", ("pgvector",)
    settings = "70 lines; a B-tree by person, exact cosine, the nearest 20"


@cache
def version_of(package: str) -> str:
    """Raises NotThere."""
    if not PEERS_PYTHON.exists():
        raise NotThere("there is no environment for the peers; `make bench-peers` makes it")
    asked = f"import importlib.metadata as m; print(m.version({package!r}))"
    done = subprocess.run([PEERS_PYTHON, "-c", asked], capture_output=True, text=True)
    if done.returncode:
        raise NotThere(f"{package} is not installed")
    return done.stdout.strip()
