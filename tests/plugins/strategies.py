"""A strategy from elsewhere, for tests: proposes what they list, and asks no model."""

from collections import deque
from collections.abc import Callable
from typing import ClassVar

from memory.ingestion.calls import CallLog
from memory.ingestion.operations import Operation
from memory.ingestion.reading import Reading
from memory.ingestion.strategies.base import Proposal, Strategy


class ListedStrategy(Strategy):
    slug = "listed"
    proposals: ClassVar[deque[Callable[[Reading], list[Operation]]]] = deque()

    def propose(self, reading: Reading, log: CallLog, *, purpose: str) -> Proposal:
        return Proposal(reading.entries, list(self.proposals.popleft()(reading)), reading.tier)
