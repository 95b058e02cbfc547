"""The seam of ingestion strategies: a reading goes in, proposed operations come out."""

from abc import ABC, abstractmethod

from memory.ingestion.calls import CallLog
from memory.ingestion.operations import Operation, Refusal
from memory.ingestion.reading import Reading


class Strategy(ABC):
    """One way to find out what to remember. Asks through the log, so that every call is kept."""

    slug: str

    @abstractmethod
    def propose(self, reading: Reading, log: CallLog, *, purpose: str) -> list[Operation | Refusal]:
        """The operations for one reading. Raises ProviderError, UnparsableAnswer, InvalidTemplate."""
