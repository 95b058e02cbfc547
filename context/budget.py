"""How the layers of a context share the tokens it may take. Arithmetic only."""

from bisect import bisect_right
from collections.abc import Hashable, Mapping
from typing import NamedTuple, TypeVar

Name = TypeVar("Name", bound=Hashable)
_FINE = 64  # parts of a token, so that hardly one a name is lost


class Want(NamedTuple):
    """What somebody would do with tokens. `most`: all that is wanted; `least`: fewer are of no use; `held`: these come
    before what anybody has by `weight`.
    """

    most: int
    weight: int
    least: int = 0
    held: int = 0

    @property
    def needed(self) -> int:
        return min(self.most, max(self.least, self.held))


def divide(room: int, wants: Mapping[Name, Want]) -> dict[Name, int]:
    """How much of `room` each may have: by weight, and none more than is wanted; what one leaves, the others share.

    Each has what it needs, or nothing: who would have less than half of it by weight, and the lightest where all that
    is needed is more than the room. Of equals the one goes that needs most.
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
