"""What a measure is given: the systems, the model they ask, and how much of everything."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count

from benchmarks.peers.model import Model
from benchmarks.peers.systems.base import House, System

_RUNS = count(1)


@dataclass(frozen=True, slots=True)
class Scale:
    """How long a run takes. `share` (0..1] shrinks what is large: stories, users, turns."""

    rounds: int
    share: float

    def of(self, whole: int, *, at_least: int = 1) -> int:
        return max(at_least, round(whole * self.share))


FULL = Scale(rounds=5, share=1.0)
QUICK = Scale(rounds=2, share=0.1)


@dataclass(frozen=True, slots=True)
class Field:
    """`systems`: classes of those that are installed, the report's order; `missing`: why the others are not there."""

    house: House
    model: Model
    systems: list[Callable[[], System]]
    missing: dict[str, str]
    scale: Scale
    say: Callable[[str], None]

    @contextmanager
    def running(self, make: Callable[[], System]) -> Iterator[System]:
        """One system, on a fresh database and folder; stopped at the end, whatever happens."""
        system = make()
        folder = self.house.folder / f"{next(_RUNS):03}-{system.name.replace(' ', '-')}"
        folder.mkdir(parents=True)
        try:
            system.start(replace(self.house, folder=folder))
            yield system
        finally:
            system.stop()
