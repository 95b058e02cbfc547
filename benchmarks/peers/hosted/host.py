"""The hosted end of benchmarks.peers.systems: serves a peer's verbs on loopback until standard input ends.

Each caller has a thread of its own, as in a web server; what is timed is timed here, without the way between.
"""

import os
import sys
import threading
import traceback
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.managers import BaseManager
from time import perf_counter
from typing import Any, NamedTuple

MODEL, EMBEDDING_MODEL, DIMENSIONS = "gpt-5-mini", "text-embedding-3-small", 1536
TOP = 20  # that a fetch finds at the most
ALL = 10_000
AUTHKEY = "RAPPORT_PEER_KEY"
Turn = Sequence[Mapping[str, str]]  # {"role", "content"}


class Setup(NamedTuple):
    """`folder`: whatever the system writes outside the database goes below it. `key`: the API key it sends."""

    database_url: str
    folder: str
    model_url: str
    key: str
    dimensions: int


class Call(NamedTuple):
    """One call to be timed: `hand_over` is given messages, `fetch` a question."""

    verb: str
    user: str
    given: Any


class Timed(NamedTuple):
    """Milliseconds of each call, in no order, and the seconds from the first to the end of the last."""

    milliseconds: list[float]
    seconds: float
    failures: list[str]


class Peer(ABC):
    """As benchmarks.peers.systems.System, in the system's own process."""

    @abstractmethod
    def start(self, setup: Setup, *, first: bool) -> None:
        """`first`: the database is empty."""

    @abstractmethod
    def hand_over(self, user: str, messages: Turn) -> None: ...

    @abstractmethod
    def fetch(self, user: str, question: str) -> list[str]: ...

    @abstractmethod
    def stored(self, user: str) -> list[str]: ...

    @abstractmethod
    def delete_person(self, user: str) -> None: ...

    @abstractmethod
    def remember(self, user: str, texts: Sequence[str]) -> None:
        """Store these memories, without asking the model."""

    def load(self, memories: Mapping[str, Sequence[str]]) -> None:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(self.remember, memories, memories.values()))

    def time(self, calls: Sequence[Call], clients: int) -> Timed:
        """Make the calls with so many threads, each taking the next."""
        took, failures = list[float](), list[str]()

        def make(call: Call) -> None:
            began = perf_counter()
            try:
                getattr(self, call.verb)(call.user, call.given)
            except Exception as problem:
                failures.append(f"{type(problem).__name__}: {problem}"[:200])
            took.append((perf_counter() - began) * 1000)

        began = perf_counter()
        with ThreadPoolExecutor(clients) as pool:
            list(pool.map(make, calls))
        return Timed(took, perf_counter() - began, failures)

    def call(self, verb: str, *given: Any, **named: Any) -> tuple[Any, str]:
        """What the verb gives, and what it raised as text: the caller knows none of the libraries' own errors."""
        try:
            return getattr(self, verb)(*given, **named), ""
        except Exception as problem:
            traceback.print_exc()  # to the run's log
            return None, f"{type(problem).__name__}: {problem}"


class PeerManager(BaseManager):
    """Either end's: `peer()` is the one Peer of the serving process."""


PeerManager.register("peer", exposed=["call"])


def serve(peer: Peer) -> None:
    """Prints its port first. What the system prints goes to standard error."""
    PeerManager.register("peer", callable=lambda: peer, exposed=["call"])
    server = PeerManager(("127.0.0.1", 0), os.environ[AUTHKEY].encode()).get_server()
    print(server.address[1], flush=True)  # type: ignore[index]
    sys.stdout = sys.stderr
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()
    os._exit(0)  # a system's own threads may not want to end
