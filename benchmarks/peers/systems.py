"""What is measured, each behind the same few verbs: Rapport over HTTP, and what a user would pick instead.

A measure never asks which system it holds. What a system has no verb for raises NotThere, and the report says so. The
peers live in child processes of their own, spoken to in JSON lines (benchmarks.peers.hosted.host).
"""

import json
import subprocess
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, ClassVar, Literal

import psutil

from benchmarks.charts import PEERS_PYTHON, ROOT
from benchmarks.service import address_of, create_database, drop_database

MODEL, EMBEDDING_MODEL, DIMENSIONS = "gpt-5-mini", "text-embedding-3-small", 1536
_PROCESSES = 2  # as many as Rapport's web server has
_START_SECONDS = 120.0
_CALL_SECONDS = 600.0


class NotThere(Exception):
    """The system has no such verb, or isn't installed. The message says what is missing, for the report."""


class Failed(Exception):
    """What a call raised in the child, or that the child is gone."""


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Call:
    """One call to be timed: `hand_over` takes the messages, `fetch` the question."""

    verb: Literal["hand_over", "fetch"]
    user: str
    messages: Sequence[Message] = ()
    question: str = ""


@dataclass(frozen=True, slots=True)
class Timed:
    """Milliseconds of each call, in no order, and the seconds from the first to the end of the last."""

    milliseconds: list[float]
    seconds: float
    failures: list[str] = field(default_factory=list)


class Child:
    """One process. Calls may be made from several threads at once."""

    def __init__(self, module: str, folder: Path) -> None:
        self._log = (folder / "children.log").open("ab")  # searched after an erasure, as all below the folder
        # Nothing of the caller's but what a program needs: no key, no proxy, no setting of a vendor.
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            [str(PEERS_PYTHON), "-m", module],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        self._numbers, self._lock = count(1), threading.Lock()
        self._waiting: dict[int, Future[Any]] = {}
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def call(self, verb: str, *, seconds: float = _CALL_SECONDS, **given: Any) -> Any:
        """Raises Failed, TimeoutError."""
        number, answer = next(self._numbers), Future[Any]()
        assert self.process.stdin is not None
        with self._lock:
            self._waiting[number] = answer
            try:
                self.process.stdin.write(json.dumps({"id": number, "verb": verb, "given": given}) + "\n")
                self.process.stdin.flush()
            except OSError:
                self._waiting.pop(number, None)
                raise Failed("the process has ended") from None
        return answer.result(seconds)

    def end(self, *, hard: bool = False) -> None:
        (self.process.kill if hard else self.process.terminate)()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._listener.join(10)
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(OSError):  # what was left to be written has nobody to read it
                if pipe is not None:
                    pipe.close()
        self._log.close()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            told = json.loads(line)
            answer = self._waiting.pop(told["id"], None)
            if answer is not None and "error" in told:
                answer.set_exception(Failed(told["error"]))
            elif answer is not None:
                answer.set_result(told["value"])
        while self._waiting:
            with self._lock:
                _, answer = self._waiting.popitem()
            answer.set_exception(Failed("the process was killed in mid-call"))


class System:
    """Verbs may be called from several threads at once. `user` is any short text of letters, digits and dashes.

    The model server tells systems apart by `name`: it is the API key each of them sends. Here they are a peer's, whose
    processes share the calls, as those of a web server would.
    """

    name: ClassVar[str]  # short, as in tables: "mem0"
    title: ClassVar[str]  # as in the report: "mem0 (library, pgvector)"
    packages: ClassVar[Sequence[str]] = ()  # whose versions the report tells
    settings: ClassVar[str]  # what differs from the defaults and why, for the report

    def __init__(self, folder: Path, model_url: str, dimensions: int = DIMENSIONS) -> None:
        """`folder`: whatever the system writes outside the database goes below it."""
        self.folder, self.model_url, self.dimensions = folder, model_url, dimensions
        self.database = folder.name.replace("-", "_")
        self.database_url = address_of(self.database)
        self.children: list[Child] = []
        self._turn = count()

    @classmethod
    def version(cls) -> str:
        """Raises NotThere when it isn't installed."""
        return ", ".join(f"{package} {version_of(package)}" for package in cls.packages)

    def start(self) -> None:
        """On a fresh database."""
        create_database(self.database)
        self._begin(_PROCESSES, first=True)

    def start_again(self) -> None:
        """After `kill`, on the same database and folder."""
        self._begin(_PROCESSES, first=False)

    def add_workers(self, number: int) -> None:
        """Have so many processes write at once from now on."""
        self._begin(number - len(self.children), first=False)

    def hand_over(self, user: str, messages: Sequence[Message], *, key: str | None = None) -> None:
        """Give it one turn; returns when a reply need wait no longer. Raises whatever the system's client raises.

        `key` makes the same call twice one turn, where the system has such a thing; others ignore it.
        """
        self._call("hand_over", user=user, messages=[asdict(message) for message in messages])

    def settle(self, seconds: float) -> None:
        """Wait until all that was handed over is remembered, or has visibly failed. Raises TimeoutError."""

    def fetch(self, user: str, question: str) -> list[str]:
        """The remembered texts that the model would be shown for its next reply, best or newest first."""
        return list(self._call("fetch", user=user, question=question))

    def stored(self, user: str) -> list[str]:
        """Every text that is stored as a memory about them now."""
        return list(self._call("stored", user=user))

    def failed(self, user: str) -> list[str]:
        """What was handed over and visibly failed, as the system itself reports it later; [] where it can't say."""
        return []

    def delete_person(self, user: str) -> None:
        """By the documented call for it; returns when it says that it is done."""
        self._call("delete_person", user=user)

    def purge(self) -> None:
        """The system's own purge of what was deleted. Raises NotThere."""
        raise NotThere("no purge of its own")

    def load(self, memories: Mapping[str, Sequence[str]]) -> None:
        """Store memories, by user, as they would be after having been learnt: no model is asked."""
        self._call("load", memories={user: list(texts) for user, texts in memories.items()})

    def time(self, calls: Sequence[Call], *, clients: int) -> Timed:
        """Make the calls with so many clients at once, each taking the next; timed where the caller would stand."""
        used = self.children[: min(clients, _PROCESSES)]
        shares = [[asdict(call) for call in calls[place :: len(used)]] for place in range(len(used))]
        with ThreadPoolExecutor(len(used)) as pool:
            answers = [
                pool.submit(child.call, "time", calls=share, clients=max(1, clients // len(used)))
                for child, share in zip(used, shares, strict=True)
            ]
        told = [answer.result() for answer in answers]
        return Timed(
            [took for part in told for took in part["milliseconds"]],
            max(part["seconds"] for part in told),
            [failure for part in told for failure in part["failures"]],
        )

    def processes(self) -> list[psutil.Process]:
        """The system's own, not the database's."""
        return [psutil.Process(child.process.pid) for child in self.children]

    def kill(self) -> None:
        """kill -9 of everything of the system that writes, the database excepted. Calls under way raise."""
        children, self.children = self.children, []
        for child in children:
            child.process.kill()
        for child in children:
            child.end(hard=True)

    def stop(self) -> None:
        for child in self.children:
            child.end()
        drop_database(self.database)

    def _begin(self, number: int, *, first: bool) -> None:
        new = [Child(f"benchmarks.peers.hosted.{self.name}_peer", self.folder) for _ in range(number)]
        self.children = [*self.children, *new]
        setup = {
            "database_url": self.database_url,
            "folder": str(self.folder),
            "model_url": self.model_url,
            "model_name": MODEL,
            "embedding_model": EMBEDDING_MODEL,
            "dimensions": self.dimensions,
            "key": self.name,
        }
        for place, child in enumerate(new):
            child.call("start", setup=setup, first=first and not place, seconds=_START_SECONDS)

    def _call(self, verb: str, **given: Any) -> Any:
        """By the process whose turn it is."""
        children = self.children
        if not children:
            raise Failed("it was killed")
        return children[next(self._turn) % len(children)].call(verb, **given)


class Mem0(System):
    name, title, packages = "mem0", "mem0 (library, pgvector)", ("mem0ai",)
    settings = (
        "pgvector with its HNSW index (default), maxconn 20 instead of 5: no thread waits; top_k 20, threshold 0.1 "
        "(defaults); history in SQLite; telemetry off; without the extra [nlp]: no spaCy, which would cost time"
    )


class LangMem(System):
    name, title = "langmem", "LangMem (store manager, AsyncPostgresStore)"
    packages = ("langmem", "langgraph-checkpoint-postgres")
    settings = (
        "AsyncPostgresStore (the other serves one caller at a time), HNSW index (default); "
        "create_memory_store_manager, invoked in the request (its hot path), enable_deletes; query_limit 20, not 5"
    )


class Baseline(System):
    name, title, packages = "baseline", "Baseline (one table, every message, cosine)", ("pgvector",)
    settings = "80 lines; a B-tree by person, exact cosine, the nearest 20"


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
