"""What all measures share: running the systems, counting facts, and the tables of the report."""

import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from statistics import median
from typing import Literal, NamedTuple, TypeVar

import psycopg

from benchmarks.peers.hosted.host import DIMENSIONS
from benchmarks.peers.model import Model
from benchmarks.peers.systems import System
from benchmarks.report import Figure, Row, Section, number, range_of
from benchmarks.runner import say

OURS = "rapport"  # the names of Rapport's systems begin with this
_LOAD_SECONDS = 600.0
# The value of each round, in order; or a text that says why there is none.
Rounds = Sequence[float] | str
Better = Literal["less", "more"] | None  # None: the values only explain others
T = TypeVar("T")


@dataclass(slots=True)
class Lab:
    """`share` (0..1] reduces the numbers of stories, users and turns. `remarks`: errors during the current measure."""

    model: Model
    systems: Sequence[type[System]]
    folder: Path
    rounds: int
    share: float
    remarks: list[str] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def of(self, whole: int, *, at_least: int = 1) -> int:
        return max(at_least, round(whole * self.share))

    @contextmanager
    def running(self, make: type[System], *, dimensions: int = DIMENSIONS) -> Iterator[System]:
        """Run one system on a new database and folder, and stop it at the end."""
        folder = self.folder / f"peers-{next(self._numbers):03}-{make.name}"
        folder.mkdir(parents=True)
        system = make(folder, self.model.url, dimensions)
        try:
            system.start()
            yield system
        finally:
            system.stop()

    @contextmanager
    def all_running(self, *, dimensions: int = DIMENSIONS) -> Iterator[list[System]]:
        """Run all systems that start without an error, at the same time."""
        systems: list[System] = []
        with ExitStack() as stack:
            for make in self.systems:
                with self.noting(make.name):
                    systems.append(stack.enter_context(self.running(make, dimensions=dimensions)))
            yield systems

    def load(self, systems: list[System], memories: Mapping[str, Sequence[str]]) -> None:
        """Load each user's memories into every system. Remove a system from the list if that fails."""
        for system in list(systems):
            say(f"loading {sum(map(len, memories.values())):,} memories, {system.name}")
            with self.noting(system.name, systems):
                with ThreadPoolExecutor(4) as pool:
                    list(pool.map(system.remember, memories, memories.values()))
                system.settle(_LOAD_SECONDS)
                with psycopg.connect(system.database_url, autocommit=True) as server:
                    server.execute("ANALYZE")  # PostgreSQL does it by itself within minutes

    @contextmanager
    def noting(self, name: str, among: list[System] | None = None) -> Iterator[None]:
        """Add an error in the block to the remarks instead of raising it. Then remove the system from `among`."""
        try:
            yield
        except Exception as problem:
            self.remarks.append(f"{name} failed: {describe(problem)}")
            say(self.remarks[-1])
            if among:
                among[:] = [system for system in among if system.name != name]

    def measured(self, measure: "Callable[[Lab], Section]") -> Section:
        """Measure; if that fails, return a section that says so."""
        self.remarks = []
        try:
            return measure(self)
        except Exception as problem:
            traceback.print_exc()
            return Section(measure.__name__.capitalize(), f"It could not be measured: {describe(problem)}")
        finally:
            self.model.slow_down(0)
            self.model.spoil(0)

    def ours(self, values: Mapping[str, float]) -> list[float]:
        """The values of Rapport's systems; [] if one of them has none."""
        names = [make.name for make in self.systems if make.name.startswith(OURS)]
        return [values[name] for name in names] if all(name in values for name in names) else []

    def section(
        self, title: str, how: str, lines: Sequence["Line"], goals: list[Figure], remarks: Sequence[str] = ()
    ) -> Section:
        systems = list(dict.fromkeys(system for line in lines for system in line.values))
        how = (
            f"{how} A cell has the median of the rounds, their range, and after the comma how many times {OURS}'s it "
            "is, round by round."
        )
        rows = [line.cells(systems) for line in lines]
        behind = [f"Behind: {sentence}" for line in lines if (sentence := line.behind())]
        return Section(title, how, goals, ["", *systems], rows, [*behind, *self.remarks, *remarks])


def describe(problem: Exception) -> str:
    return f"{type(problem).__name__}: {problem}"[:300]


def times_shown(lines: Sequence[str], forms: Sequence[str]) -> int:
    """How many lines contain one of these forms of a fact. Case, spaces and a final full stop do not matter."""
    wanted = [_plain(form) for form in forms]
    return sum(any(form in line for form in wanted) for line in map(_plain, lines))


class Tally(NamedTuple):
    """Numbers of facts that are stored nowhere, stored once too often (each time), or stored with another person."""

    lost: int
    duplicated: int
    misplaced: int


def tally(expected: Mapping[str, Sequence[Sequence[str]]], stored: Mapping[str, Sequence[str]]) -> Tally:
    """`expected`: the forms of each fact, by person; `stored`: all stored texts, by person."""
    lost = duplicated = misplaced = 0
    for person, facts in expected.items():
        for forms in facts:
            times = times_shown(stored[person], forms)
            lost += times == 0
            duplicated += max(0, times - 1)
            misplaced += sum(times_shown(lines, forms) for other, lines in stored.items() if other != person)
    return Tally(lost, duplicated, misplaced)


@dataclass(frozen=True, slots=True)
class Line:
    """One row of a table: the values of each system."""

    name: str
    unit: str
    values: Mapping[str, Rounds]
    better: Better = "less"

    def ratio(self, system: str, to: str) -> float | None:
        """The median of a system's values as multiples of another's, round by round; None without common rounds."""
        pairs = zip(self._rounds(system), self._rounds(to), strict=False)
        ratios = [one / other for one, other in pairs if other]
        return median(ratios) if ratios else None

    def cells(self, systems: Sequence[str]) -> Row:
        named = f"{self.name} ({self.unit})" if self.unit else self.name
        return [named, *(self._cell(system) for system in systems)]

    def behind(self) -> str:
        """A sentence if another system has a better median than Rapport, else ""."""
        medians = {name: median(rounds) for name in self.values if (rounds := self._rounds(name))}
        if OURS not in medians or self.better is None:
            return ""
        sign = -1 if self.better == "more" else 1
        ahead = [
            f"{name} {number(found)}"
            for name, found in medians.items()
            if not name.startswith(OURS) and sign * found < sign * medians[OURS]
        ]
        unit = f", in {self.unit}" if self.unit else ""
        return f"{self.name}{unit}: {', '.join(ahead)}; {OURS} {number(medians[OURS])}." if ahead else ""

    def _cell(self, system: str) -> str:
        """The median, the range of the rounds, and the ratio to Rapport's."""
        rounds = self._rounds(system)
        if not rounds:
            return str(self.values.get(system) or "-")
        between = f" ({range_of(rounds)})" if min(rounds) != max(rounds) else ""
        ratio = self.ratio(system, OURS) if system != OURS else None
        return f"{number(median(rounds))}{between}" + (f", {number(ratio)} x" if ratio is not None else "")

    def _rounds(self, system: str) -> Sequence[float]:
        rounds = self.values.get(system, ())
        return () if isinstance(rounds, str) else rounds


def line_of(
    results: Mapping[str, T], name: str, of: Callable[[T], Rounds], unit: str = "", better: Better = "less"
) -> Line:
    """A line of the values that `of` takes from each system's result."""
    return Line(name, unit, {system: of(result) for system, result in results.items()}, better)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!")
