"""Clients that hand facts over, and insist: what was refused is handed over again, as a careful developer would."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from threading import Barrier
from typing import TypeVar

from benchmarks.peers.field import Field
from benchmarks.peers.stories import Told, turn_of
from benchmarks.peers.systems.base import System

AT_ONCE = 8
OURS = "rapport"  # how the names of Rapport's systems begin
_MOST_TRIES = 3
T = TypeVar("T")


def storing(field: Field) -> list[Callable[[], System]]:
    """The systems that store in a way of their own: Rapport in process has Rapport's worker and tables."""
    return [make for make in field.systems if getattr(make, "name", "") != "rapport-in-process"]


def ours(field: Field, by_name: Mapping[str, T]) -> list[T]:
    """What was found for each of Rapport's systems, for a goal that all of them have to reach.

    [] if one of them is missing, because it did not start: then nothing can be said of all.
    """
    names = [str(getattr(make, "name", "")) for make in storing(field)]
    wanted = [name for name in names if name.startswith(OURS)]
    return [by_name[name] for name in wanted] if all(name in by_name for name in wanted) else []


def start_all(field: Field, stack: ExitStack) -> tuple[list[System], list[str]]:
    """All of these that start, side by side until the stack closes, and a remark on each that does not."""
    systems: list[System] = []
    remarks: list[str] = []
    for make in storing(field):
        try:
            systems.append(stack.enter_context(field.running(make)))
        except Exception as failure:  # a peer's own error is a result of the measure, not its end
            remarks.append(f"{getattr(make, 'name', make)} did not start: {failure}"[:300])
    return systems, remarks


@dataclass(frozen=True, slots=True)
class Deed:
    """One call to be made. Deeds with the same key are the same call twice, to a system that has such a thing."""

    user: str
    told: Told
    key: str | None


def hand_over(system: System, deeds: Sequence[Deed], *, clients: int = AT_ONCE) -> list[Deed]:
    """Those that were refused: whose call raised."""
    with ThreadPoolExecutor(clients) as pool:
        answers = pool.map(lambda deed: accepted(system, deed), deeds)
        return [deed for deed, was in zip(deeds, answers, strict=True) if not was]


def hand_over_at_once(system: System, deeds: Sequence[Deed]) -> list[Deed]:
    """The same, with a client for each deed that waits for all the others to be ready."""
    ready = Barrier(len(deeds))

    def call(deed: Deed) -> bool:
        ready.wait()
        return accepted(system, deed)

    with ThreadPoolExecutor(len(deeds)) as pool:
        return [deed for deed, was in zip(deeds, pool.map(call, deeds), strict=True) if not was]


def insist(system: System, refused: Sequence[Deed]) -> int:
    """Hand over again what was refused, a few times. How many calls were refused in all, those before included."""
    count = 0
    waiting = list(refused)
    for _ in range(_MOST_TRIES):
        count += len(waiting)
        if not waiting:
            break
        waiting = hand_over(system, waiting)
    return count


def accepted(system: System, deed: Deed) -> bool:
    """Hand it over once."""
    try:
        system.hand_over(deed.user, turn_of(deed.told), key=deed.key)
    except Exception:  # whatever the system's client raises: the call was refused
        return False
    return True
