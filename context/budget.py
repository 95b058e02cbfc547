"""How the layers of a context share the tokens it may take. Arithmetic only."""

from bisect import bisect_right
from collections.abc import Hashable, Mapping
from typing import NamedTuple, TypeVar

Name = TypeVar("Name", bound=Hashable)
_FINE = 64  # parts of a token, so that hardly one a name is lost


class Want(NamedTuple):
    """What somebody would do with tokens. `most`: all that is wanted; with fewer than `least`, nothing; `held`: these
    come before what anybody has by `weight`.
    """

    most: int
    weight: int
    least: int = 0
    held: int = 0


def divide(room: int, wants: Mapping[Name, Want]) -> dict[Name, int]:
    """How much of `room` each may have: by weight, and none more than is wanted; what one leaves, the others share.

    Whose part would be below its least has nothing, the lightest first, and of equals the one that needs most.
    """
    served = dict(wants)
    while True:
        given = _by_weight(max(room, 0), served)
        short = [name for name, want in served.items() if given[name] < min(want.least, want.most)]
        if not short:
            return dict.fromkeys(wants, 0) | given
        del served[min(short, key=lambda name: (served[name].weight, -served[name].least))]


def _by_weight(room: int, wants: Mapping[Name, Want]) -> dict[Name, int]:
    def given(unit: int) -> dict[Name, int]:
        return {
            name: min(want.most, max(want.held, want.weight * unit // _FINE)) for name, want in wants.items()
        }

    units = range(room * _FINE + 1)
    return given(max(0, bisect_right(units, room, key=lambda unit: sum(given(unit).values())) - 1))
