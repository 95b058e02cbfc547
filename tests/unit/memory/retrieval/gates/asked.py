"""What a gate is asked."""

from datetime import UTC, datetime, timedelta
from typing import Any

from memory.retrieval.configuration import Gate
from memory.retrieval.gates.base import GateRequest

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def asked(
    message: str = "Hello", *, turns: int = 0, seconds_ago: float | None = None, **gate: Any
) -> GateRequest:
    last = None if seconds_ago is None else NOW - timedelta(seconds=seconds_ago)
    return GateRequest(message, Gate.model_validate(gate), lambda: turns, last, NOW)
