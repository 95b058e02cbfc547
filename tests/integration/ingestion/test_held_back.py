"""Questions that are not asked for a while, as the provider said to wait, or does not answer."""

import pytest

from memory.models import ModelCall
from providers.errors import HeldBack
from relationships.models import TurnState
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation
from worker.silence import SILENT_SECONDS, CallsInFlight


def test_a_question_that_was_held_back_was_no_call_and_no_try(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(HeldBack("The provider said to wait.", retry_after=30))

    turn = conversation.hear("One.")

    assert (turn.state, turn.error_code, turn.attempts) == (TurnState.PENDING, "held_back", 0)
    assert turn.error == "The provider said to wait."
    assert turn.model_call_ids == []
    assert not ModelCall.objects.for_relationship(turn.relationship_id).exists()


def test_a_turn_is_held_back_while_many_earlier_calls_of_the_project_are_not_answered(
    conversation: Conversation, scripted_provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1000.0]
    in_flight = CallsInFlight(readers=2, clock=lambda: clock[0])
    monkeypatch.setattr("memory.model_calls.calls_in_flight", in_flight)

    with in_flight.call(conversation.relationship.project_id, scripted_provider.alias):
        clock[0] += SILENT_SECONDS + 1
        turn = conversation.hear("One.")

    assert (turn.state, turn.error_code, turn.attempts) == (TurnState.PENDING, "held_back", 0)
    assert scripted_provider.requests == []
