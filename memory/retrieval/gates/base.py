"""The seam of gates: whether a context looks into the archive, and why."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from relationships.configuration.retrieval import Gate


@dataclass(frozen=True, slots=True)
class GateRequest:
    """What a gate may know. `turns`: how many turns the session had before this message."""

    message: str
    gate: Gate
    turns: int
    last_message_at: datetime | None
    now: datetime


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
