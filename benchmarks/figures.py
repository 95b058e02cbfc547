"""What a measurement says: figures, each with its range and goal."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchmarks.timing import Spread


@dataclass(frozen=True, slots=True)
class Goal:
    """A bound from the issue or the design; `at_most` False: at least."""

    bound: float
    at_most: bool = True

    def met_by(self, value: float) -> bool:
        return value <= self.bound if self.at_most else value >= self.bound


@dataclass(frozen=True, slots=True)
class Figure:
    """One number. `spread`: of rounds, where there were several."""

    name: str
    value: float
    unit: str = ""
    spread: Spread | None = None
    goal: Goal | None = None

    @property
    def met(self) -> bool | None:
        """None: there is no goal."""
        return None if self.goal is None else self.goal.met_by(self.value)


@dataclass(frozen=True, slots=True)
class Section:
    """One measurement: what was done, in a sentence or two, and what came of it."""

    name: str
    title: str
    how: str
    figures: list[Figure] = field(default_factory=list)

    def missed(self) -> list[Figure]:
        return [figure for figure in self.figures if figure.met is False]


@dataclass(frozen=True, slots=True)
class Run:
    """Everything one run found, and on what."""

    date: str
    machine: Mapping[str, str]
    sections: list[Section]


def of_rounds(name: str, rounds: Spread, unit: str = "", goal: Goal | None = None) -> Figure:
    """The figure of several rounds: their middle."""
    return Figure(name, rounds.middle, unit, rounds, goal)
