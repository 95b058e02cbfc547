"""What an import must know about an archive before the first row is written."""

from array import array
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field
from uuid import UUID


@dataclass(slots=True)
class Overview:
    """Facts about all rows. `numbers`: every seq, in order; `told`: IDs of entries that have a history."""

    numbers: "array[int]" = field(default_factory=lambda: array("q"))
    told: set[bytes] = field(default_factory=set)
    turns: Counter[str] = field(default_factory=Counter)  # by session
    active: int = 0
    messages: int = 0

    def place_of(self, seq: int) -> int:
        """The index of a number among all, from 0."""
        return bisect_left(self.numbers, seq)

    def tells_of(self, entry_id: UUID | None) -> bool:
        return entry_id is not None and entry_id.bytes in self.told
