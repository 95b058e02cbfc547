"""The seam of gates: whether a context looks into the archive, and why."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from memory.retrieval.configuration import Gate


@dataclass(frozen=True, slots=True)
class GateRequest:
    """What a gate may know."""

    message: str
    gate: Gate
    count_turns: Callable[[], int]
    last_message_at: datetime | None
    now: datetime

    @property
    def turns(self) -> int:
        """How many turns the session had before this message. Counted when a gate asks: few do."""
        return self.count_turns()


@dataclass(frozen=True, slots=True)
class GateDecision:
    """Open or closed, with its reason in words that `explain` shows."""

    open: bool
    reason: str


class ContextGate(ABC):
    slug: ClassVar[str]

    @abstractmethod
    def opens(self, request: GateRequest) -> GateDecision:
        """Reads nothing but the request."""
