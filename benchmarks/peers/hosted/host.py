"""The other end of benchmarks.peers.systems: serves a peer's functions on loopback until standard input ends.

Each caller has its own thread, as in a web server. Calls are timed here, so that the transport is not counted.
"""

import os
import sys
import threading
import traceback
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.managers import BaseManager
from time import perf_counter
from typing import Any, NamedTuple

MODEL, EMBEDDING_MODEL, DIMENSIONS = "gpt-5-mini", "text-embedding-3-small", 1536
TOP = 20  # the most that a fetch finds
ALL = 10_000
AUTHKEY = "RAPPORT_PEER_KEY"
Turn = Sequence[Mapping[str, str]]  # messages: {"role", "content"}


class Setup(NamedTuple):
    """`folder`: for all files that the system writes. `key`: the API key that it sends."""

    database_url: str
    folder: str
    model_url: str
    key: str
    dimensions: int


class Call(NamedTuple):
    """A call to be timed. `verb`: `hand_over`, with messages as `given`, or `fetch`, with a question."""

    verb: str
    user: str
    given: Any


class Timed(NamedTuple):
    """Milliseconds of each call, in any order, and seconds of all calls together."""

    milliseconds: list[float]
    seconds: float
    failures: list[str]


class Peer:
    """The functions of benchmarks.peers.systems.System, in the system's own process.

    A peer adds `start(setup)`, on a new database or an earlier one of its own, `hand_over(user, messages)`,
    `fetch(user, question)`, `stored(user)`, `delete_person(user)` and `remember(user, texts)`.
    """

    def time(self, calls: Sequence[Call], clients: int) -> Timed:
        """Make the calls in this many threads, each of which takes the next call."""
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

    def call(self, verb: str, *given: Any) -> tuple[Any, str]:
        """Return a function's result, and its error as text, as the caller does not have the peers' libraries."""
        try:
            return getattr(self, verb)(*given), ""
        except Exception as problem:
            traceback.print_exc()  # to the log
            return None, f"{type(problem).__name__}: {problem}"


class PeerManager(BaseManager):
    """Used by both ends. `peer()` is the Peer of the serving process."""


PeerManager.register("peer", exposed=["call"])


def serve(peer: Peer) -> None:
    """Print the port, then serve. What the system prints goes to standard error."""
    PeerManager.register("peer", callable=lambda: peer, exposed=["call"])
    server = PeerManager(("127.0.0.1", 0), os.environ[AUTHKEY].encode()).get_server()
    print(server.address[1], flush=True)  # type: ignore[index]
    sys.stdout = sys.stderr
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()
    os._exit(0)  # some systems have threads that do not end
