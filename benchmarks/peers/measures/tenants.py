"""Tenant recall: does everybody find what is stored about them, when thousands share the tables?"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from dataclasses import field as values
from statistics import mean, median
from time import perf_counter

from benchmarks.peers.field import Field, Scale
from benchmarks.peers.findings import Finding, Goal, Line, Rounds
from benchmarks.peers.measures.clients import ours, start_all
from benchmarks.peers.systems.base import System
from benchmarks.peers.words import Words

MEMORIES = 20
TENANTS = (1_000, 5_000)
SEARCHES = 24  # a round
FIRST = 20  # searches after loading, in which a database still plans anew; they are told apart
DIMENSIONS = (
    256  # shortened, as the vendor allows: what is found does not depend on it, the time to load does
)
_LOADED_AT_ONCE = 2
QUESTION = "What do you remember about {thing}, as of day {number}?"  # none is asked twice
_THINGS = (
    "bread tea music rain winter summer travel work school money family friends health sleep books films games sport "
    "gardens letters"
).split()


# Why something is not found, where it is not.
_WAKING = (
    "Rapport is asked over HTTP, each time after a pause: that wakes more sleeping processes than a library's "
    "call."
)
WHY = {
    "mem0": "its table has one HNSW index for everybody and no index by person. The first searches of a connection are "
    "planned one by one, and read all rows; then PostgreSQL keeps one plan for all, which walks the "
    "HNSW index and drops what is not the person's from the few candidates it gives.",
}


@dataclass(slots=True)
class Searched:
    """What the searches among one number of tenants brought."""

    first: list[int] = values(default_factory=list)  # of the first searches: how many of the 20 came back
    own: list[int] = values(default_factory=list)  # of each one after those
    foreign: int = 0
    milliseconds: list[list[float]] = values(default_factory=list)  # of each round


@dataclass(slots=True)
class Found:
    """What one system found, by the number of tenants. After an error it is left alone."""

    system: System
    by_count: dict[int, Searched] = values(default_factory=dict)
    seconds: float = 0.0  # that loading took
    problem: str = ""

    def load(self, memories: Mapping[str, Sequence[str]]) -> None:
        began = perf_counter()
        try:
            if not self.problem:
                self.system.load(memories)
        except Exception as failure:  # a peer's own error is a result of the measure, not its end
            self.problem = f"{type(failure).__name__}: {failure}"[:300]
        self.seconds += perf_counter() - began

    def search(
        self, count: int, everybody: Sequence[str], memories: Mapping[str, Sequence[str]], numbers: range
    ) -> None:
        """One round; `numbers` are the searches'."""
        try:
            if not self.problem:
                found = self.by_count.setdefault(count, Searched())
                _search(self.system, everybody, memories, numbers, found)
        except Exception as failure:  # as above
            self.problem = f"{type(failure).__name__}: {failure}"[:300]


def measure(field: Field) -> Finding:
    """Two systems are loaded at a time, as there are cores; then they are searched in turn, round by round."""
    counts = [field.scale.of(count, at_least=50) for count in TENANTS]
    memories = memories_of(max(counts))
    small = replace(field, house=replace(field.house, dimensions=DIMENSIONS))
    with ExitStack() as stack:
        systems, remarks = start_all(small, stack)
        found = {system.name: Found(system) for system in systems}
        loaded = 0
        for count in counts:
            field.say(f"tenants: loading {count:,}")
            some = {user: memories[user] for user in list(memories)[loaded:count]}
            with ThreadPoolExecutor(_LOADED_AT_ONCE) as pool:
                list(pool.map(lambda one, some=some: one.load(some), found.values()))
            loaded = count
            for numbers in _rounds_of(field.scale):
                for one in found.values():
                    field.say(f"tenants: searches {numbers} among {count:,}, {one.system.name}")
                    one.search(count, list(memories)[:count], memories, numbers)
    return _finding(counts, found, ours(field, found), remarks)


def memories_of(tenants: int) -> dict[str, list[str]]:
    """Everybody's memories are about the same things, which is what makes one hard to tell from the other."""
    words = Words("tenants")
    return {
        f"tenant-{number:05d}": [f"What I remember about {thing}: {words.new()}" for thing in _THINGS]
        for number in range(tenants)
    }


def _rounds_of(scale: Scale) -> list[range]:
    """The numbers of the searches: the first ones, then the rounds."""
    starts = [FIRST + place * SEARCHES for place in range(scale.rounds)]
    return [range(FIRST), *(range(start, start + SEARCHES) for start in starts)]


def _search(
    system: System,
    everybody: Sequence[str],
    memories: Mapping[str, Sequence[str]],
    numbers: range,
    searched: Searched,
) -> None:
    """Tenants from the first to the last, evenly, each asking about one thing."""
    step = len(everybody) / len(numbers)
    took: list[float] = []
    for place, number in enumerate(numbers):
        user = everybody[int((place + number % 7 / 7) * step)]
        thing = _THINGS[number % len(_THINGS)]
        began = perf_counter()
        shown = system.fetch(user, QUESTION.format(thing=thing, number=number))
        took.append((perf_counter() - began) * 1000)
        own = own_among(shown, memories[user])
        searched.foreign += len(shown) - own
        (searched.first if number < FIRST else searched.own).append(own)
    if numbers.start >= FIRST:
        searched.milliseconds.append(took)


def own_among(shown: Sequence[str], memories: Sequence[str]) -> int:
    """How many of the memories stand in what is shown, each counted once."""
    return sum(any(memory in line for line in shown) for memory in memories)


def _finding(
    counts: Sequence[int], found: Mapping[str, Found], mine: Sequence[Found], remarks: Sequence[str]
) -> Finding:
    """`mine`: of Rapport's systems; the goal takes the worst search of them all."""
    lines: list[Line] = []
    for count in counts:
        lines += _lines(
            count, {name: one.by_count[count] for name, one in found.items() if count in one.by_count}
        )
    loading = {name: [one.seconds] for name, one in found.items()}
    lines.append(Line("loading all of them, two systems at a time", "s", loading, better=None))
    worst = [min(searched.first + searched.own) for one in mine for searched in one.by_count.values()]
    return Finding(
        "tenants",
        "Tenant recall",
        f"Everybody has {MEMORIES} memories about the same {MEMORIES} things, in {DIMENSIONS} dimensions. They are "
        "loaded without asking the model: by COPY into the system's own tables, rows as it writes them, its own HNSW "
        "index built again over all of them by its own definition (Rapport's entries by its own functions, its vectors "
        "by COPY), then ANALYZE. Then some people, evenly from the first to the last, ask about one thing as before a "
        f"reply, no question twice, in interleaved rounds of {SEARCHES}; the first {FIRST} searches are told apart, "
        f"because a database plans them anew. Everything is loaded once. An exact search for the {MEMORIES} best finds "
        f"all {MEMORIES} of them, and nobody else's.",
        lines=lines,
        goals=[
            Goal(
                f"items found of {MEMORIES}, in the worst search under any of our recipes",
                float(min(worst)) if worst else None,
                float(MEMORIES),
                at_most=False,
            )
        ],
        remarks=[
            *remarks,
            "rapport, with the recipe scratchpad, shows all of these memories and searches for none; rapport-retrieval "
            "searches, as the others do.",
            *(remark for one in found.values() for remark in _remarks(one)),
        ],
    )


def _remarks(one: Found) -> list[str]:
    name, remarks = one.system.name, []
    if one.problem:
        remarks.append(f"{name}: {one.problem}")
    if name in WHY and any(mean(searched.own) < MEMORIES for searched in one.by_count.values()):
        remarks.append(f"{name}: {WHY[name]}")
    return remarks


def _lines(count: int, found: Mapping[str, Searched]) -> list[Line]:
    def line(name: str, unit: str, values: dict[str, Rounds], *, more: bool = False) -> Line:
        why = _WAKING if unit == "ms" else ""
        return Line(f"{count:,} tenants: {name}", unit, values, "more" if more else "less", why)

    each = found.items()
    asked = len(next(iter(found.values())).own) if found else 0
    return [
        line(f"items found of {MEMORIES}, mean", "", {n: [mean(s.own)] for n, s in each}, more=True),
        line("the worst search found", "", {n: [float(min(s.own))] for n, s in each}, more=True),
        line(f"in the first {FIRST} searches, mean", "", {n: [mean(s.first)] for n, s in each}, more=True),
        line(f"searches that found nothing, of {asked}", "", {n: [float(s.own.count(0))] for n, s in each}),
        line("items that are somebody else's", "", {n: [float(s.foreign)] for n, s in each}),
        line("search, p50", "ms", {n: [median(times) for times in s.milliseconds] for n, s in each}),
    ]
