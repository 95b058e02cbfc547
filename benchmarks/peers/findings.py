"""What a measure says: lines that every system answers, goals, and remarks on why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Literal

from benchmarks.timing import Spread, spread

# The value of each round, in the order of the rounds; or, as text, why there is none.
Rounds = Sequence[float] | str
Better = Literal["less", "more"]


@dataclass(frozen=True, slots=True)
class Line:
    """One question, answered by each system, by its name."""

    name: str
    unit: str
    values: Mapping[str, Rounds]
    better: Better | None = "less"  # None: there is no winner in this, it only explains
    why: str = ""  # another may be ahead of Rapport in this

    def spread_of(self, system: str) -> Spread | None:
        rounds = self.values.get(system)
        return spread(rounds) if rounds and not isinstance(rounds, str) else None

    def winners(self) -> list[str]:
        """Those whose median is the best; several where they are even. [] without a comparison."""
        middles = {name: found.middle for name in self.values if (found := self.spread_of(name))}
        if self.better is None or len(middles) < 2:
            return []
        best = (min if self.better == "less" else max)(middles.values())
        return [name for name, middle in middles.items() if middle == best]

    def ratio(self, system: str, to: str) -> Spread | None:
        """`system` in terms of `to`, round by round, so that both met the machine in the same state."""
        ours, theirs = self.values.get(system), self.values.get(to)
        if not ours or not theirs or isinstance(ours, str) or isinstance(theirs, str):
            return None
        pairs = [one / other for one, other in zip(ours, theirs, strict=False) if other]
        return spread(pairs) if pairs else None


@dataclass(frozen=True, slots=True)
class Goal:
    """A bound of the issue, and what came of it; `value` None where it could not be measured."""

    name: str
    value: float | None
    bound: float
    at_most: bool = True
    unit: str = ""

    @property
    def met(self) -> bool | None:
        if self.value is None:
            return None
        return self.value <= self.bound if self.at_most else self.value >= self.bound


@dataclass(frozen=True, slots=True)
class Finding:
    """One measure. `how`: what was done, in a few sentences; `remarks`: why who is ahead, plainly."""

    name: str
    title: str
    how: str
    lines: list[Line] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def middle_of(rounds: Rounds | None) -> float | None:
    return median(rounds) if rounds and not isinstance(rounds, str) else None
