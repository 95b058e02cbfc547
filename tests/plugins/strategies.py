"""A strategy of a plugin, for tests: it proposes what they list, and calls no model."""

from collections import deque
from collections.abc import Callable
from typing import ClassVar

from memory.ingestion.calls import CallLog
from memory.ingestion.ingestion_input import IngestionInput
from memory.ingestion.operations import Operation
from memory.ingestion.strategies.base import Proposal, Strategy


class ListedStrategy(Strategy):
    slug = "listed"
    proposals: ClassVar[deque[Callable[[IngestionInput], list[Operation]]]] = deque()

    def propose(self, ingestion_input: IngestionInput, log: CallLog, *, purpose: str) -> Proposal:
        return Proposal(ingestion_input.entries, list(self.proposals.popleft()(ingestion_input)))
