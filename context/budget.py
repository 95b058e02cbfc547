"""Divide a context's token budget among its layers. Arithmetic only."""

from bisect import bisect_right
from collections.abc import Hashable, Mapping
from typing import NamedTuple, TypeVar

Name = TypeVar("Name", bound=Hashable)
_FINE = 64  # parts of a token, so that rounding loses hardly a token per layer


class Want(NamedTuple):
    """One demand for tokens. `most`: how many it could use; `least`: fewer are useless; `held`: those it gets before
    the rest is divided by `weight`.
    """

    most: int
    weight: int
    least: int = 0
    held: int = 0

    @property
    def needed(self) -> int:
        return min(self.most, max(self.least, self.held))


def divide(room: int, wants: Mapping[Name, Want]) -> dict[Name, int]:
    """Divide `room` tokens by weight. None gets more than it wants; what one leaves is shared by the others.

    Each gets at least what it needs, or nothing. Nothing goes to those whose weight would give them less than half of
    it; then, while the needs exceed the room, to the lightest, and of equals to the one that needs most.
    """
    room, served = max(room, 0), dict(wants)
    while True:
        given = _by_weight(room, served)
        gone = [name for name, want in served.items() if 2 * given[name] < want.needed]
        if not gone and sum(want.needed for want in served.values()) <= room:
            served = {name: want._replace(held=want.needed) for name, want in served.items()}
            return dict.fromkeys(wants, 0) | _by_weight(room, served)
        del served[min(gone or served, key=lambda name: (served[name].weight, -served[name].least))]


def _by_weight(room: int, wants: Mapping[Name, Want]) -> dict[Name, int]:
    def given(unit: int) -> dict[Name, int]:
        return {
            name: min(want.most, max(want.held, want.weight * unit // _FINE)) for name, want in wants.items()
        }

    units = range(room * _FINE + 1)
    return given(max(0, bisect_right(units, room, key=lambda unit: sum(given(unit).values())) - 1))
