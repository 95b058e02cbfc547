"""The interface of ingestion strategies: an input goes in, proposed operations come out."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from memory.ingestion.calls import CallLog
from memory.ingestion.ingestion_input import IngestionInput, ShownEntry
from memory.ingestion.operations import Operation
from memory.ingestion.vectors import TextVectors


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a strategy proposes. Entry numbers in `items` refer to `shown`, from 1.

    `vectors` of texts that it embedded are stored for new entries with the same text.
    """

    shown: tuple[ShownEntry, ...]
    items: list[Operation]
    vectors: TextVectors | None = None


class Strategy(ABC):
    """One way to find out what to remember. Asks through the log, so that every call is kept."""

    slug: str

    @abstractmethod
    def propose(self, given: IngestionInput, log: CallLog, *, purpose: str) -> Proposal:
        """Propose what to do with one input. Raises ProviderError, UnparsableAnswer, InvalidTemplate.

        `purpose`: ingestion, ask_again or preview.
        """
