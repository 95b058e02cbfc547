"""What every measure shares: systems that run side by side, clients that insist, and tables of who did how well."""

import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from statistics import median
from threading import Barrier
from typing import Literal, NamedTuple

from benchmarks.peers.hosted.host import DIMENSIONS
from benchmarks.peers.model import Model
from benchmarks.peers.stories import Told, turn_of
from benchmarks.peers.systems import Call, System, Timed
from benchmarks.report import Figure, Section, number
from benchmarks.timing import Spread, spread

AT_ONCE = 8
OURS = "rapport"  # how the names of Rapport's systems begin
_MOST_TRIES = 3
# The value of each round, in the order of the rounds; or, as text, why there is none.
Rounds = Sequence[float] | str


@dataclass(slots=True)
class Lab:
    """`share` (0..1] shrinks what is large: stories, users, turns. `remarks`: on what failed, of the measure so far."""

    model: Model
    systems: Sequence[type[System]]
    folder: Path
    rounds: int
    share: float
    say: Callable[[str], None]
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

    def start_all(self, stack: ExitStack, *, dimensions: int = DIMENSIONS) -> list[System]:
        """All that start, side by side until the stack closes."""
        systems: list[System] = []
        for make in self.systems:
            with self.noting(make.name):
                systems.append(stack.enter_context(self.running(make, dimensions=dimensions)))
        return systems

    @contextmanager
    def noting(self, name: str) -> Iterator[None]:
        """A system's own error is a result of the measure, not its end."""
        try:
            yield
        except Exception as problem:
            self.remarks.append(f"{name} failed: {type(problem).__name__}: {problem}"[:400])
            print(self.remarks[-1], file=sys.stderr)

    def measured(self, measure: "Callable[[Lab], Section]") -> Section:
        """A measure that fails says so in its place; the others are still made."""
        self.remarks = []
        try:
            return measure(self)
        except Exception as problem:
            traceback.print_exc()
            name = measure.__name__
            return Section(
                name, name.capitalize(), f"It could not be measured: {type(problem).__name__}: {problem}"
            )
        finally:
            self.model.slow_down(0)
            self.model.spoil(0)

    def timed(self, system: System, calls: Sequence[Call], *, clients: int) -> Timed:
        """Raises RuntimeError when a call fails."""
        timed = system.time(calls, clients=clients)
        if timed.failures:
            told = f"{len(timed.failures)} of {len(calls)} calls failed, such as: {timed.failures[0]}"
            raise RuntimeError(told)
        return timed

    def ours(self, values: Mapping[str, float]) -> list[float]:
        """Those of Rapport's systems; [] if one of them has none: then nothing can be said of all."""
        names = [make.name for make in self.systems if make.name.startswith(OURS)]
        return [values[name] for name in names] if all(name in values for name in names) else []


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


def hand_over(
    system: System, deeds: Sequence[Deed], *, clients: int = AT_ONCE, together: bool = False
) -> list[Deed]:
    """Those that were refused. `together`: a client for each, that waits for all the others to be ready."""
    ready = Barrier(len(deeds) if together else 1)

    def call(deed: Deed) -> bool:
        ready.wait()
        return accepted(system, deed)

    with ThreadPoolExecutor(len(deeds) if together else clients) as pool:
        return [deed for deed, was in zip(deeds, pool.map(call, deeds), strict=True) if not was]


def insist(system: System, refused: Sequence[Deed]) -> int:
    """Hand over again what was refused, a few times, as a careful developer would. How many refusals there were."""
    refusals = 0
    for _ in range(_MOST_TRIES):
        refusals += len(refused)
        if not refused:
            break
        refused = hand_over(system, refused)
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
    better: Literal["less", "more"] | None = "less"  # None: there is no winner in this, it only explains
    why: str = ""

    def spread_of(self, system: str) -> Spread | None:
        rounds = self.values.get(system)
        return spread(rounds) if rounds and not isinstance(rounds, str) else None

    def ratio(self, system: str, to: str) -> float | None:
        """`system` in terms of `to`, round by round, so that both met the machine in the same state: the median."""
        ours, theirs = self.values.get(system), self.values.get(to)
        if not ours or not theirs or isinstance(ours, str) or isinstance(theirs, str):
            return None
        pairs = [one / other for one, other in zip(ours, theirs, strict=False) if other]
        return median(pairs) if pairs else None

    def cells(self, systems: Sequence[str]) -> list[str]:
        named = f"{self.name} ({self.unit})" if self.unit else self.name
        return [named, *(self._cell(system) for system in systems)]

    def behind(self) -> str:
        """A sentence where somebody other than Rapport has a better median; "" where nobody has."""
        ours, sign = self.spread_of(OURS), -1 if self.better == "more" else 1
        if ours is None or self.better is None:
            return ""
        ahead = [
            f"{name} {number(found.middle)}"
            for name in self.values
            if not name.startswith(OURS) and (found := self.spread_of(name))
            if sign * found.middle < sign * ours.middle
        ]
        if not ahead:
            return ""
        unit = f", in {self.unit}" if self.unit else ""
        return f"{self.name}{unit}: {', '.join(ahead)}; {OURS} {number(ours.middle)}. {self.why}".strip()

    def _cell(self, system: str) -> str:
        """The median, the range of the rounds, and in terms of Rapport's."""
        found = self.spread_of(system)
        if found is None:
            told = self.values.get(system)
            return told if isinstance(told, str) else "-"
        between = f" ({number(found.low)} to {number(found.high)})" if found.low != found.high else ""
        ratio = self.ratio(system, OURS) if system != OURS else None
        return f"{number(found.middle)}{between}" + (f", {number(ratio)} x" if ratio is not None else "")


def section_of(
    lab: Lab,
    name: str,
    title: str,
    how: str,
    lines: Sequence[Line],
    goals: list[Figure],
    remarks: Sequence[str] = (),
) -> Section:
    systems = list(dict.fromkeys(system for line in lines for system in line.values))
    behind = [f"Behind: {sentence}" for line in lines if (sentence := line.behind())]
    return Section(
        name,
        title,
        f"{how} A cell has the median of the rounds, their range, and after the comma how many times {OURS}'s it is, "
        "round by round.",
        goals,
        headings=["", *systems],
        rows=[line.cells(systems) for line in lines],
        remarks=[*behind, *lab.remarks, *remarks],
    )


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!")
