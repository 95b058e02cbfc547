"""What every measure shares: systems that run side by side, clients that insist, and tables of who did how well."""

import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from statistics import median
from threading import Barrier
from typing import Literal, NamedTuple, TypeVar

from benchmarks.peers.hosted.host import DIMENSIONS
from benchmarks.peers.model import Model
from benchmarks.peers.stories import Told, turn_of
from benchmarks.peers.systems import System
from benchmarks.report import Figure, Row, Section, number, range_of
from benchmarks.runner import say

AT_ONCE = 8
OURS = "rapport"  # how the names of Rapport's systems begin
_MOST_TRIES = 3
# The value of each round, in the order of the rounds; or, as text, why there is none.
Rounds = Sequence[float] | str
Better = Literal["less", "more"] | None  # None: there is no winner in this, it only explains
T = TypeVar("T")


@dataclass(slots=True)
class Lab:
    """`share` (0..1] shrinks what is large: stories, users, turns. `remarks`: on what failed, of the measure so far."""

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
        """One system, on a fresh database and folder; stopped at the end, whatever happens."""
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
        """All that start, side by side."""
        systems: list[System] = []
        with ExitStack() as stack:
            for make in self.systems:
                with self.noting(make.name):
                    systems.append(stack.enter_context(self.running(make, dimensions=dimensions)))
            yield systems

    def load(self, systems: list[System], memories: Mapping[str, Sequence[str]]) -> None:
        """Where that fails, the system is left out from then on."""
        for system in list(systems):
            say(f"loading {sum(map(len, memories.values())):,} memories, {system.name}")
            with self.noting(system.name, systems):
                system.load(memories)

    @contextmanager
    def noting(self, name: str, among: list[System] | None = None) -> Iterator[None]:
        """A system's own error is a result of the measure, not its end. It is left out of `among` from then on."""
        try:
            yield
        except Exception as problem:
            self.remarks.append(f"{name} failed: {told_of(problem)}")
            say(self.remarks[-1])
            if among:
                among[:] = [system for system in among if system.name != name]

    def measured(self, measure: "Callable[[Lab], Section]") -> Section:
        """A measure that fails says so in its place; the others are still made."""
        self.remarks = []
        try:
            return measure(self)
        except Exception as problem:
            traceback.print_exc()
            return Section(measure.__name__.capitalize(), f"It could not be measured: {told_of(problem)}")
        finally:
            self.model.slow_down(0)
            self.model.spoil(0)

    def ours(self, values: Mapping[str, float]) -> list[float]:
        """Those of Rapport's systems; [] if one of them has none: then nothing can be said of all."""
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


def told_of(problem: Exception) -> str:
    return f"{type(problem).__name__}: {problem}"[:300]


class Deed(NamedTuple):
    """One call to be made. Deeds with the same key are the same call twice, to a system that has such a thing."""

    user: str
    told: Told
    key: str | None


def accepted(system: System, deed: Deed) -> bool:
    """Hand it over once."""
    try:
        system.hand_over(deed.user, turn_of(deed.told), key=deed.key)
    except Exception:  # whatever the system's client raises: the call was refused
        return False
    return True


def hand_over(system: System, deeds: Sequence[Deed], *, clients: int = AT_ONCE) -> list[Deed]:
    """Those that were refused. As many clients as deeds wait until all of them are ready."""
    ready = Barrier(len(deeds) if clients == len(deeds) else 1)

    def call(deed: Deed) -> bool:
        ready.wait()
        return accepted(system, deed)

    with ThreadPoolExecutor(clients) as pool:
        return [deed for deed, was in zip(deeds, pool.map(call, deeds), strict=True) if not was]


def insist(system: System, refused: Sequence[Deed]) -> int:
    """Hand over again what was refused, a few times, as a careful developer would. How many refusals there were."""
    refusals = 0
    for _ in range(_MOST_TRIES):
        refusals += len(refused)
        refused = hand_over(system, refused) if refused else ()
    return refusals


def times_shown(lines: Sequence[str], forms: Sequence[str]) -> int:
    """The lines that hold a fact in any of its forms, without regard to case, space and closing punctuation."""
    wanted = [_plain(form) for form in forms]
    return sum(any(form in line for form in wanted) for line in map(_plain, lines))


class Tally(NamedTuple):
    """How many facts are nowhere, there more than once (each time too many), or with somebody else."""

    lost: int
    duplicated: int
    misplaced: int


def tally(expected: Mapping[str, Sequence[Sequence[str]]], stored: Mapping[str, Sequence[str]]) -> Tally:
    """`expected`: each person's facts, in all their forms; `stored`: all that is stored about each of them."""
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
    """One question, answered by each system, by its name. `why`: another may be ahead of Rapport in this."""

    name: str
    unit: str
    values: Mapping[str, Rounds]
    better: Better = "less"
    why: str = ""

    def ratio(self, system: str, to: str) -> float | None:
        """`system` in terms of `to`, round by round, so that both met the machine in the same state: the median."""
        pairs = zip(self._rounds(system), self._rounds(to), strict=False)
        ratios = [one / other for one, other in pairs if other]
        return median(ratios) if ratios else None

    def cells(self, systems: Sequence[str]) -> Row:
        named = f"{self.name} ({self.unit})" if self.unit else self.name
        return [named, *(self._cell(system) for system in systems)]

    def behind(self) -> str:
        """A sentence where somebody other than Rapport has a better median; "" where nobody has."""
        if not self._rounds(OURS) or self.better is None:
            return ""
        ours, sign = median(self._rounds(OURS)), -1 if self.better == "more" else 1
        theirs = {
            n: median(self._rounds(n)) for n in self.values if not n.startswith(OURS) and self._rounds(n)
        }
        ahead = [f"{name} {number(found)}" for name, found in theirs.items() if sign * found < sign * ours]
        if not ahead:
            return ""
        unit = f", in {self.unit}" if self.unit else ""
        return f"{self.name}{unit}: {', '.join(ahead)}; {OURS} {number(ours)}. {self.why}".strip()

    def _cell(self, system: str) -> str:
        """The median, the range of the rounds, and in terms of Rapport's."""
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
    results: Mapping[str, T],
    name: str,
    of: Callable[[T], Rounds],
    unit: str = "",
    better: Better = "less",
    why: str = "",
) -> Line:
    """`of` what became of each system, by its name."""
    return Line(name, unit, {system: of(result) for system, result in results.items()}, better, why)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!")
