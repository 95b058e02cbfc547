from datetime import UTC, datetime
from typing import Any

import pytest

from memory.ingestion.configuration import Ingestion
from memory.ingestion.triggers import dispose_turn
from relationships.models import TurnState
from relationships.services.turns import NewMessage, TurnDisposal

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def dispose(*roles: str, paused: bool = False, **ingestion: Any) -> TurnDisposal:
    messages = [NewMessage(role, "It rains.") for role in roles]
    return dispose_turn(Ingestion.model_validate(ingestion), messages, paused=paused, now=NOON)


@pytest.mark.parametrize("mode", ["every_n_turns", "session_end", "explicit"])
def test_with_another_trigger_it_waits_and_says_for_what(mode: str) -> None:
    assert dispose("user", trigger={"mode": mode}) == TurnDisposal(TurnState.PENDING, None, waits_for=mode)


@pytest.mark.parametrize(
    ("code", "given"),
    [
        ("paused", {"paused": True}),
        ("paused", {"paused": True, "enabled": False}),
        ("disabled", {"enabled": False}),
        ("disabled", {"enabled": False, "roles": ()}),
        ("roles", {"roles": ("assistant", "tool")}),
        ("roles", {"roles": (), "trigger": {"mode": "explicit"}}),
    ],
)
def test_what_is_left_out_is_skipped_with_its_first_reason(code: str, given: dict[str, Any]) -> None:
    disposal = dispose("user", **given)

    assert (disposal.state, disposal.error_code, disposal.due_at) == ("skipped", code, None)
    assert disposal.error.endswith(".")


def test_one_message_of_a_role_that_is_read_is_enough() -> None:
    assert dispose("system", "user", "assistant", roles=("user",)).state == "pending"
