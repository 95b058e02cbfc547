"""An answer that hits the token limit: several turns are read in halves, a single one is given more room."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from memory.models import MendingPlan, ModelCall
from providers.errors import AnswerTruncated
from providers.llm.registry import reset_providers
from relationships.models import Companion, TurnState
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation, add, answer
from tests.vendor_servers.gemini_server import GeminiServer
from tests.vendor_servers.openai_server import OpenAIServer

NO_REFERENCES = {"reference_messages": 0}
ROOM = 4000  # ingestion.max_output_tokens, as it ships
Respond = Callable[[int, str], dict[str, Any]]


@pytest.fixture(params=["openai", "gemini"])
def answers_by_room(
    request: pytest.FixtureRequest,
    openai_server: OpenAIServer,
    gemini_server: GeminiServer,
    companion: Companion,
    settings: Settings,
) -> Iterator[Callable[[Respond], None]]:
    """Say what either vendor's model answers, by the tokens it is given and what it is asked."""
    vendor = request.param
    server = openai_server if vendor == "openai" else gemini_server
    providers: dict[str, Any] = settings.LLM_PROVIDERS
    options = {**providers[vendor]["OPTIONS"], "api_key": "k", "base_url": server.url}
    settings.LLM_PROVIDERS = {**providers, vendor: {**providers[vendor], "OPTIONS": options}}
    Companion.objects.filter(id=companion.id).update(config={"ingestion": {"provider": vendor}})
    reset_providers()

    def room_in(body: dict[str, Any]) -> int:
        given = body.get("generationConfig", body)
        limits = [given.get(name) for name in ("max_tokens", "max_completion_tokens", "maxOutputTokens")]
        return int(next(limit for limit in limits if limit is not None))

    def respond_with(respond: Respond) -> None:
        server.respond = lambda body: respond(room_in(body), server.said(body))

    yield respond_with
    reset_providers()


def cut_off(value: dict[str, Any]) -> dict[str, Any]:
    return {"json": value, "truncate": 20}


def test_a_single_turn_is_asked_again_with_more_room(
    answers_by_room: Callable[[Respond], None], conversation: Conversation
) -> None:
    rooms: list[int] = []

    def respond(room: int, said: str) -> dict[str, Any]:
        rooms.append(room)
        whole = answer(add("Likes tea"))
        return {"json": whole} if room >= 2 * ROOM else cut_off(whole)

    answers_by_room(respond)
    turn = conversation.hear("I like tea.")

    assert (turn.state, conversation.contents) == (TurnState.APPLIED, ["Likes tea"])
    assert rooms == [ROOM, 2 * ROOM]
    calls = ModelCall.objects.order_by("id").values_list("purpose", "error_code")
    assert list(calls) == [("ingestion", "answer_truncated"), ("more room", "")]


def test_an_answer_that_goes_in_a_circle_is_taken_once_and_not_asked_for_again(
    answers_by_room: Callable[[Respond], None], conversation: Conversation
) -> None:
    rooms: list[int] = []

    def respond(room: int, said: str) -> dict[str, Any]:
        rooms.append(room)
        wish = {"kind": "forget", "what": "tennis", "messages": [1]}
        said_again = answer(*[add("Likes tea"), add("Has a cat")] * 50)
        return {"json": {"wishes": [wish], **said_again}, "truncate": 3000}

    answers_by_room(respond)
    turn = conversation.hear("I like tea, and I have a cat. Tennis is nothing that I want you to know of.")

    assert (turn.state, conversation.contents, rooms) == (
        TurnState.APPLIED,
        ["Has a cat", "Likes tea"],
        [ROOM],
    )
    assert MendingPlan.objects.get().verb == "forget", "what it said before the circle counts"
    assert ModelCall.objects.get().error_code == "answer_truncated", "the trace says so"


def test_a_batch_is_halved_before_any_turn_is_given_more_room(
    answers_by_room: Callable[[Respond], None], conversation: Conversation
) -> None:
    rooms: list[int] = []

    def respond(room: int, said: str) -> dict[str, Any]:
        rooms.append(room)
        both = "I like tea." in said and "I like jazz." in said.partition("I like tea.")[2]
        return cut_off(answer(add("Likes both"))) if both else {"json": answer(add(f"Note {len(rooms)}"))}

    answers_by_room(respond)
    turns = [conversation.say("I like tea.", ingestion=NO_REFERENCES)]
    turns += [conversation.say("I like jazz.", ingestion=NO_REFERENCES)]
    conversation.drain()

    assert [conversation.again(turn).state for turn in turns] == [TurnState.APPLIED] * 2
    assert rooms == [ROOM] * 3


def test_a_turn_whose_answer_is_cut_off_however_much_room_it_has_says_so(
    answers_by_room: Callable[[Respond], None], conversation: Conversation
) -> None:
    rooms: list[int] = []

    def respond(room: int, said: str) -> dict[str, Any]:
        rooms.append(room)
        return cut_off(answer(add("Likes tea")))

    answers_by_room(respond)
    turn = conversation.hear("I like tea.")

    assert (turn.state, turn.error_code) == (TurnState.FAILED, "answer_truncated")
    assert rooms == [ROOM, 2 * ROOM, 4 * ROOM]
    assert "It had room for 16000 tokens" in turn.error
    assert "ingestion.max_output_tokens" in turn.error
    assert len(turn.model_call_ids) == 3


def test_a_model_that_has_no_more_room_to_give_fails_the_turn_for_the_cut_and_not_for_the_question(
    answers_by_room: Callable[[Respond], None], conversation: Conversation
) -> None:
    def respond(room: int, said: str) -> dict[str, Any]:
        if room > ROOM:
            return {"status": 400, "message": f"max_tokens must be at most {ROOM}."}
        return cut_off(answer(add("Likes tea")))

    answers_by_room(respond)
    turn = conversation.hear("I like tea.")

    assert (turn.state, turn.error_code) == (TurnState.FAILED, "answer_truncated")
    assert f"at most {ROOM}" in turn.error


def test_more_room_is_never_more_than_a_configuration_may_give(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.otherwise = AnswerTruncated("cut off")

    conversation.hear("I like tea.", ingestion={"max_output_tokens": 60_000})

    assert [request.max_output_tokens for request in scripted_provider.requests] == [60_000, 100_000]


def test_a_repair_has_the_room_that_the_answer_needed(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(AnswerTruncated("cut off"), "no json", answer(add("Likes tea")))

    turn = conversation.hear("I like tea.")

    assert turn.state == TurnState.APPLIED
    assert [request.max_output_tokens for request in scripted_provider.requests] == [
        ROOM,
        2 * ROOM,
        2 * ROOM,
    ]
