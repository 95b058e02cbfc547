"""How much room so many relationships will take, from what a few took. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil

GB = 2**30
HISTORY = "memory_entryrevision"
_WHILE_BUILDING = 3 * GB  # sorting the largest index, and the WAL
_TO_SPARE = 1.05  # pages are not as full as those of a few rows


@dataclass(frozen=True, slots=True)
class Expectation:
    """Bytes, of all relationships. `history_of_one_in`: so that it fits, so many have no history but one."""

    relationships: int
    data: float
    whole_data: float  # with everybody's history
    history_of_one_in: int = 1

    @property
    def at_most(self) -> float:
        """What the disk has to have free."""
        return self.data + _WHILE_BUILDING


class DoesNotFit(Exception):
    """The disk, or the bound, is too small. Says by how much."""


def expect(relationships: int, each: Mapping[str, float], *, free: float, bound: float) -> Expectation:
    """`each`: bytes a relationship by table, as few of them took. `free` and `bound` in bytes. Raises DoesNotFit.

    Neither contexts nor searches read history, so where not everybody's fits, that of one in so many is kept.
    """
    whole = relationships * sum(each.values()) * _TO_SPARE
    history = relationships * each.get(HISTORY, 0.0) * _TO_SPARE
    room = min(bound, free - _WHILE_BUILDING)
    if whole - history > room:
        raise DoesNotFit(
            f"{relationships:,} relationships need {(whole - history) / GB:.1f} GB without their history, and there "
            f"are {room / GB:.1f} GB. Try fewer: --relationships 100 10000."
        )
    one_in = 1 if whole <= room else ceil(history / (room - (whole - history)))
    return Expectation(relationships, whole - history + history / one_in, whole, one_in)
