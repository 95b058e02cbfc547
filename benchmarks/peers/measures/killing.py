"""kill -9 where it can do harm: while turns are taken in, or while the model works on a call."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event, Lock
from time import monotonic, sleep
from typing import NamedTuple

from benchmarks.peers.scenario import AT_ONCE, Deed, Lab, accepted
from benchmarks.peers.systems import System

_CLIENTS = AT_ONCE // 2
_PATIENCE_SECONDS = 30.0
_POLL_SECONDS = 0.003


class Killed(NamedTuple):
    refused: list[Deed]
    met: bool  # something was under way


class Callers:
    """Several clients that hand over; which of their calls are under way is known at every moment."""

    def __init__(self, system: System) -> None:
        self.first_returned = Event()
        self._system, self._lock = system, Lock()
        self._pool = ThreadPoolExecutor(_CLIENTS)
        self._calls: list[tuple[Deed, Future[bool]]] = []
        self._open: set[Deed] = set()

    def begin(self, deeds: Sequence[Deed]) -> None:
        self._calls += [(deed, self._pool.submit(self._call, deed)) for deed in deeds]

    def under_way(self) -> set[Deed]:
        with self._lock:
            return set(self._open)

    def are_done(self) -> bool:
        return all(future.done() for _, future in self._calls)

    def refused(self) -> list[Deed]:
        """Waits for every call to return."""
        self._pool.shutdown()
        return [deed for deed, future in self._calls if not future.result()]

    def _call(self, deed: Deed) -> bool:
        with self._lock:
            self._open.add(deed)
        try:
            return accepted(self._system, deed)
        finally:
            with self._lock:
                self._open.discard(deed)
            self.first_returned.set()


def kill_at_intake(system: System, deeds: Sequence[Deed], *, after: float) -> Killed:
    """So many seconds after the first call has returned. It met something if a call under way was cut off."""
    callers = Callers(system)
    callers.begin(deeds)
    callers.first_returned.wait(_PATIENCE_SECONDS)
    sleep(after)
    open_calls = callers.under_way()
    system.kill()
    refused = callers.refused()
    return Killed(refused, not open_calls.isdisjoint(refused))


def kill_at_call(lab: Lab, system: System, deeds: Sequence[Deed], *, nth: int, after: float) -> Killed:
    """So many seconds after the model has begun the nth call. It met something if that call came, and then a call of
    ours was under way or something handed over was not remembered yet.

    Who batches makes several calls only if not everything comes at once: each further part of the deeds is handed
    over when one more call has begun.
    """
    begun = _calls_begun(lab, system)
    lab.model.reset()
    callers = Callers(system)
    for number in range(nth):
        _reaches(begun, number, callers, system)
        callers.begin(deeds[number::nth])
    came = _reaches(begun, nth, callers, system)
    sleep(after)
    met = came and (bool(callers.under_way()) or not _is_settled(system))
    system.kill()
    return Killed(callers.refused(), met)


def _calls_begun(lab: Lab, system: System) -> Callable[[], int]:
    """Of chat completions; of embeddings with a system that asked for nothing else since the counts' last reset."""
    chats = lab.model.counts(system.name).calls > 0

    def begun() -> int:
        counts = lab.model.counts(system.name)
        return counts.calls if chats else counts.embedding_calls

    return begun


def _reaches(begun: Callable[[], int], number: int, callers: Callers, system: System) -> bool:
    """Wait until so many calls have begun; False when nothing is left that could begin one."""
    deadline = monotonic() + _PATIENCE_SECONDS
    while begun() < number:
        if monotonic() > deadline or (callers.are_done() and _is_settled(system)):
            return begun() >= number
        sleep(_POLL_SECONDS)
    return True


def _is_settled(system: System) -> bool:
    try:
        system.settle(0)
    except TimeoutError:
        return False
    return True
