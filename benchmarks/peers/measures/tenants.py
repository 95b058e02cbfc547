"""Tenant recall: does everybody find what is stored about them, when thousands share the tables?"""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as values
from statistics import mean, median
from time import perf_counter

from benchmarks.peers.field import Field
from benchmarks.peers.findings import Finding, Goal, Line, Rounds
from benchmarks.peers.measures.clients import storing
from benchmarks.peers.systems.base import System
from benchmarks.peers.words import Words

OURS = "rapport"
MEMORIES = 20
TENANTS = (1_000, 5_000)
SEARCHES = 120
DIMENSIONS = 384
QUESTION = "What do you remember about {thing}?"
_THINGS = (
    "bread tea music rain winter summer travel work school money family friends health sleep books films games sport "
    "gardens letters"
).split()


@dataclass(slots=True)
class Searched:
    """What the searches among one number of tenants brought."""

    own: list[int] = values(default_factory=list)  # of each search: how many of the 20 memories came back
    foreign: int = 0
    milliseconds: list[float] = values(default_factory=list)


def measure(field: Field) -> Finding:
    counts = [field.scale.of(count, at_least=50) for count in TENANTS]
    memories = memories_of(max(counts))
    small = replace(field, house=replace(field.house, dimensions=DIMENSIONS))
    found: dict[str, dict[int, Searched]] = {}
    seconds: dict[str, float] = {}
    remarks: list[str] = []
    for make in storing(field):
        name = str(getattr(make, "name", make))
        try:
            with small.running(make) as system:
                name = system.name
                found[name], seconds[name] = _searched(field, system, counts, memories)
                remarks.append(f"{name} was loaded so: {how_loaded(system)}")
        except Exception as failure:  # a peer's own error is a result of the measure, not its end
            remarks.append(f"{name}: {type(failure).__name__}: {failure}"[:300])
    return _finding(counts, found, seconds, remarks)


def memories_of(tenants: int) -> dict[str, list[str]]:
    """Everybody's memories are about the same things, which is what makes one hard to tell from the other."""
    words = Words("tenants")
    return {
        f"tenant-{number:05d}": [f"What I remember about {thing}: {words.new()}" for thing in _THINGS]
        for number in range(tenants)
    }


def _searched(
    field: Field, system: System, counts: Sequence[int], memories: Mapping[str, Sequence[str]]
) -> tuple[dict[int, Searched], float]:
    """What was found at each number of tenants, and the seconds that loading them all took."""
    found: dict[int, Searched] = {}
    everybody = list(memories)
    loaded, seconds = 0, 0.0
    for count in counts:
        field.say(f"tenants: {system.name}, {count:,}")
        began = perf_counter()
        system.load({user: memories[user] for user in everybody[loaded:count]})
        loaded, seconds = count, seconds + perf_counter() - began
        found[count] = _search(system, everybody[:count], memories, field.scale.of(SEARCHES, at_least=20))
    return found, seconds


def _search(
    system: System, everybody: Sequence[str], memories: Mapping[str, Sequence[str]], searches: int
) -> Searched:
    """Tenants from the first to the last, evenly, each asking about one thing."""
    searched = Searched()
    step = len(everybody) / searches
    for number in range(searches):
        user = everybody[int(number * step)]
        began = perf_counter()
        shown = system.fetch(user, QUESTION.format(thing=_THINGS[number % len(_THINGS)]))
        searched.milliseconds.append((perf_counter() - began) * 1000)
        own = own_among(shown, memories[user])
        searched.own.append(own)
        searched.foreign += len(shown) - own
    return searched


def how_loaded(system: System) -> str:
    """What its `load` says of itself."""
    return " ".join((inspect.getdoc(type(system).load) or "").split())


def own_among(shown: Sequence[str], memories: Sequence[str]) -> int:
    """How many of the memories stand in what is shown, each counted once."""
    return sum(any(memory in line for line in shown) for memory in memories)


def _finding(
    counts: Sequence[int],
    found: Mapping[str, Mapping[int, Searched]],
    seconds: Mapping[str, float],
    remarks: Sequence[str],
) -> Finding:
    lines = [
        line for count in counts for line in _lines(count, {name: by[count] for name, by in found.items()})
    ]
    lines.append(
        Line("loading all of them took", "s", {name: [took] for name, took in seconds.items()}, None)
    )
    ours = found.get(OURS)
    recall = min(mean(searched.own) for searched in ours.values()) if ours else None
    return Finding(
        "tenants",
        "Tenant recall",
        f"Everybody has {MEMORIES} memories about the same {MEMORIES} things, in {DIMENSIONS} dimensions, loaded "
        "into each system's own tables and indexes. Then some of them, evenly from the first to the last, ask about "
        f"one thing as before a reply. An exact search for the {MEMORIES} best finds all {MEMORIES} of them, and "
        "nobody else's.",
        lines=lines,
        goals=[Goal(f"items found of {MEMORIES}", recall, float(MEMORIES), at_most=False)],
        remarks=list(remarks),
    )


def _lines(count: int, found: Mapping[str, Searched]) -> list[Line]:
    def line(name: str, unit: str, values: dict[str, Rounds], *, more: bool = False) -> Line:
        return Line(f"{count:,} tenants: {name}", unit, values, "more" if more else "less")

    each = found.items()
    asked = len(next(iter(found.values())).own) if found else 0
    return [
        line(f"items found of {MEMORIES}, mean", "", {n: [mean(s.own)] for n, s in each}, more=True),
        line("the worst search found", "", {n: [float(min(s.own))] for n, s in each}, more=True),
        line(f"searches that found nothing, of {asked}", "", {n: [float(s.own.count(0))] for n, s in each}),
        line("items that are somebody else's", "", {n: [float(s.foreign)] for n, s in each}),
        line("search, p50", "ms", {n: [median(s.milliseconds)] for n, s in each}),
    ]
