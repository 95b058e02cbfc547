"""Tenant recall: whether everything about a person is found when thousands of people share the tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import mean, median
from time import perf_counter

from benchmarks.peers.scenario import Lab, Line, line_of
from benchmarks.peers.stories import Words
from benchmarks.peers.systems import System
from benchmarks.report import Figure, Goal, Section
from benchmarks.runner import say

MEMORIES = 20
TENANTS = 1_000
SEARCHES = 24  # a round
FIRST = 20  # searches after loading, for which a database makes new plans; reported separately
DIMENSIONS = 256  # fewer than elsewhere, to load faster; the results do not depend on it
_QUESTION = "What do you remember about {thing}, as of day {number}?"  # each is unique
_THINGS = (
    "bread tea music rain winter summer travel work school money family friends health sleep books films games sport "
    "gardens letters"
).split()
_HOW = (
    f"Each person has {MEMORIES} memories about the same {MEMORIES} things, in {DIMENSIONS} dimensions, loaded without "
    "asking the model for words. People, evenly from the first to the last, ask about one thing, no question twice, in "
    f"interleaved rounds of {SEARCHES}. The first {FIRST} searches are counted apart, because a database makes new "
    f"plans for them. An exact search for the {MEMORIES} best finds all of a person's memories."
)


@dataclass(slots=True)
class Searched:
    """Results of one system. `first`, `own`: memories of the person found by each of the first and the other searches;
    `foreign`: memories of other people.
    """

    first: list[int] = field(default_factory=list)
    own: list[int] = field(default_factory=list)
    foreign: int = 0
    milliseconds: list[list[float]] = field(default_factory=list)  # of each round


def tenants(lab: Lab) -> Section:
    memories = memories_of(lab.of(TENANTS, at_least=50))
    found: dict[str, Searched] = {}
    with lab.all_running(dimensions=DIMENSIONS) as systems:
        lab.load(systems, memories)
        starts = [FIRST + place * SEARCHES for place in range(lab.rounds)]
        for numbers in (range(FIRST), *(range(start, start + SEARCHES) for start in starts)):
            for system in list(systems):
                say(f"tenants: searches {numbers}, {system.name}")
                with lab.noting(system.name, systems):
                    _search(system, memories, numbers, found.setdefault(system.name, Searched()))
    searched = {name: one for name, one in found.items() if one.own}
    worst = {name: min(*one.first, *one.own) for name, one in searched.items()}
    name = f"items found of {MEMORIES}, in the worst search under any of our recipes"
    goal = Figure(name, min(lab.ours(worst), default=None), goal=Goal(MEMORIES, at_most=False))
    lines = _lines(len(memories), searched)
    return lab.section("Tenant recall", _HOW, lines, [goal])


def memories_of(tenants: int) -> dict[str, list[str]]:
    """The memories of each tenant, all about the same things, so that they are similar."""
    words = Words("tenants")
    return {
        f"tenant-{number:05d}": [f"What I remember about {thing}: {words.new()}" for thing in _THINGS]
        for number in range(tenants)
    }


def _search(
    system: System, memories: Mapping[str, Sequence[str]], numbers: range, searched: Searched
) -> None:
    """Make the searches with these numbers, of tenants from the first to the last, each about one thing."""
    everybody = list(memories)
    step = len(everybody) / len(numbers)
    took: list[float] = []
    for place, number in enumerate(numbers):
        user = everybody[int((place + number % 7 / 7) * step)]
        thing = _THINGS[number % len(_THINGS)]
        began = perf_counter()
        shown = system.fetch(user, _QUESTION.format(thing=thing, number=number))
        took.append((perf_counter() - began) * 1000)
        own = sum(any(memory in line for line in shown) for memory in memories[user])
        searched.foreign += len(shown) - own
        (searched.first if number < FIRST else searched.own).append(own)
    if numbers.start >= FIRST:
        searched.milliseconds.append(took)


def _lines(count: int, found: Mapping[str, Searched]) -> list[Line]:
    line, at = partial(line_of, found), f"{count:,} tenants: "
    return [
        line(f"{at}items found of {MEMORIES}, mean", lambda one: [mean(one.own)], better="more"),
        line(f"{at}the worst search found", lambda one: [float(min(one.own))], better="more"),
        line(f"{at}in the first {FIRST} searches, mean", lambda one: [mean(one.first)], better="more"),
        line(f"{at}items that are somebody else's", lambda one: [float(one.foreign)]),
        line(f"{at}search, p50", lambda one: list(map(median, one.milliseconds)), "ms"),
    ]
