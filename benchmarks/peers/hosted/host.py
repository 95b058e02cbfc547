"""The hosted end of benchmarks.peers.systems: reads calls, a JSON line each, and writes what they give.

    {"id": 1, "verb": "fetch", "given": {"user": "u1", "question": "..."}}
    {"id": 1, "value": [...]}      or      {"id": 1, "error": "ValueError: ..."}

Each call has a thread of its own, as in a web server; what is timed is timed here, without the pipe between.
"""

import json
import os
import sys
import threading
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter
from typing import Any, TextIO

Turn = Sequence[Mapping[str, str]]  # {"role", "content"}
_THREADS = 8
# A table's HNSW indexes are built anew after many rows were loaded, as a restore does: row by row takes three times as
# long. They are the system's own, by their own definitions: how to drop each, and how it was defined.
INDEXES_OF = """
SELECT 'DROP INDEX ' || indexname AS drop, indexdef AS make FROM pg_indexes
WHERE tablename = %s AND indexdef ILIKE '%%USING hnsw%%'
"""
# Enough for the graph of 100,000 rows; in one process, as another system is loaded beside it.
ROOM = ("SET maintenance_work_mem = '512MB'", "SET max_parallel_maintenance_workers = 0")
GIVE_BACK = ("RESET maintenance_work_mem", "RESET max_parallel_maintenance_workers")


class Peer(ABC):
    """As benchmarks.peers.systems.System, in the system's own process."""

    @abstractmethod
    def start(self, setup: Mapping[str, Any], *, first: bool) -> dict[str, Any]:
        """`setup`: database_url, folder, model_url, model_name, embedding_model, dimensions and key.

        `first`: the database is empty. Gives what the other end should know.
        """

    @abstractmethod
    def hand_over(self, user: str, messages: Turn) -> None: ...

    @abstractmethod
    def fetch(self, user: str, question: str) -> list[str]: ...

    @abstractmethod
    def stored(self, user: str) -> list[str]: ...

    @abstractmethod
    def delete_person(self, user: str) -> None: ...

    @abstractmethod
    def load(self, memories: Mapping[str, Sequence[str]]) -> None: ...

    def time(self, calls: Sequence[Mapping[str, Any]], clients: int) -> dict[str, Any]:
        """Make the calls with so many threads, each taking the next."""
        waiting = iter(calls)
        lock, took, failures = threading.Lock(), [], []

        def client() -> None:
            while (call := _next(waiting, lock)) is not None:
                began = perf_counter()
                try:
                    self._make(call)
                except Exception as problem:
                    failures.append(f"{type(problem).__name__}: {problem}"[:200])
                took.append((perf_counter() - began) * 1000)

        threads = [threading.Thread(target=client) for _ in range(clients)]
        began = perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return {"milliseconds": took, "seconds": perf_counter() - began, "failures": failures}

    def _make(self, call: Mapping[str, Any]) -> None:
        if call["verb"] == "fetch":
            self.fetch(call["user"], call["question"])
        else:
            self.hand_over(call["user"], call["messages"])


def serve(peer: Peer) -> None:
    """Until standard input ends. What the system prints goes to standard error."""
    answers, sys.stdout = sys.stdout, sys.stderr
    lock = threading.Lock()
    verbs: dict[str, Callable[..., Any]] = {
        name: getattr(peer, name)
        for name in ("start", "hand_over", "fetch", "stored", "delete_person", "load", "time")
    }
    pool = ThreadPoolExecutor(_THREADS)
    for line in sys.stdin:
        told = json.loads(line)
        pool.submit(_answer, verbs[told["verb"]], told, answers, lock)
    os._exit(0)  # a system's own threads may not want to end


def _answer(verb: Callable[..., Any], told: Mapping[str, Any], answers: TextIO, lock: threading.Lock) -> None:
    said: dict[str, Any] = {"id": told["id"]}
    try:
        said["value"] = verb(**told["given"])
    except Exception as problem:
        traceback.print_exc()  # to the run's log
        said["error"] = f"{type(problem).__name__}: {problem}"
    with lock:
        answers.write(json.dumps(said) + "\n")
        answers.flush()


def _next(waiting: Iterator[Mapping[str, Any]], lock: threading.Lock) -> Mapping[str, Any] | None:
    with lock:
        return next(waiting, None)


def folder_of(setup: Mapping[str, Any]) -> Path:
    folder = Path(setup["folder"])
    folder.mkdir(parents=True, exist_ok=True)
    return folder
