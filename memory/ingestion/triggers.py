"""Whether a turn is read at all, and when."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from relationships.configuration.schema import Ingestion, Trigger
from relationships.models import Turn, TurnState
from relationships.services.turns import NewMessage, TurnDisposal


def dispose_turn(
    ingestion: Ingestion, messages: Sequence[NewMessage], *, paused: bool, now: datetime
) -> TurnDisposal:
    """What becomes of a turn at its intake. What is left out is `skipped`, with the reason."""
    if paused:
        return _skipped("paused", "Remembering is paused for this person.")
    if not ingestion.enabled:
        return _skipped("disabled", "The configuration has ingestion.enabled off.")
    if not any(message.role in ingestion.roles for message in messages):
        read = ", ".join(ingestion.roles) or "none"
        return _skipped("roles", f"No message is of a role that is read (ingestion.roles: {read}).")
    due_at = now if ingestion.trigger.mode == "every_turn" else None
    return TurnDisposal(TurnState.PENDING, due_at)


def fire_trigger(trigger: Trigger, *, relationship_id: UUID, turn: Turn, now: datetime) -> bool:
    """After the turn is stored: is something due? With every_n_turns the n-th makes all that wait due."""
    if trigger.mode == "every_turn":
        return True
    if trigger.mode != "every_n_turns":
        return False
    waiting = Turn.objects.for_relationship(relationship_id).filter(state=TurnState.PENDING, due_at=None)
    if waiting.count() < trigger.n:
        return False
    waiting.update(due_at=now)
    return True


def _skipped(code: str, sentence: str) -> TurnDisposal:
    return TurnDisposal(TurnState.SKIPPED, None, code, sentence)
