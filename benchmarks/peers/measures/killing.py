"""kill -9 where it can do harm: while the model works on a call."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from time import monotonic, sleep
from typing import NamedTuple

from benchmarks.peers.scenario import Deed, Lab, accepted
from benchmarks.peers.systems import System

_CLIENTS = 4
_PATIENCE_SECONDS = 30.0
_POLL_SECONDS = 0.003


class Killed(NamedTuple):
    refused: list[Deed]
    met: bool  # something was under way


def kill_at_call(lab: Lab, system: System, deeds: Sequence[Deed], *, nth: int, after: float) -> Killed:
    """So many seconds after the model has begun the nth call. It met something if that call came, and then a call of
    ours was under way or something handed over was not remembered yet.

    Who batches makes several calls only if not everything comes at once: each further part of the deeds is handed
    over when one more call has begun.
    """
    begun = _calls_begun(lab, system)
    lab.model.reset()
    calls: list[tuple[Deed, Future[bool]]] = []

    def reaches(number: int) -> bool:
        """Wait until so many calls have begun; False when nothing is left that could begin one."""
        deadline = monotonic() + _PATIENCE_SECONDS
        while begun() < number:
            if monotonic() > deadline or (_are_done(calls) and is_settled(system)):
                return begun() >= number
            sleep(_POLL_SECONDS)
        return True

    with ThreadPoolExecutor(_CLIENTS) as pool:
        for number in range(nth):
            reaches(number)
            calls += [(deed, pool.submit(accepted, system, deed)) for deed in deeds[number::nth]]
        came = reaches(nth)
        sleep(after)
        met = came and not (_are_done(calls) and is_settled(system))
        system.kill()
    return Killed([deed for deed, call in calls if not call.result()], met)


def is_settled(system: System) -> bool:
    try:
        system.settle(0)
    except TimeoutError:
        return False
    return True


def _are_done(calls: Sequence[tuple[Deed, "Future[bool]"]]) -> bool:
    return all(call.done() for _, call in calls)


def _calls_begun(lab: Lab, system: System) -> Callable[[], int]:
    """Of chat completions; of embeddings with a system that has asked for nothing else yet."""
    chats = lab.model.counts(system.name).calls > 0

    def begun() -> int:
        counts = lab.model.counts(system.name)
        return counts.calls if chats or counts.calls else counts.embedding_calls

    return begun
