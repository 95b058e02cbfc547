"""Turns that are read together: which may be, what becomes of each half, and that every question is kept."""

from collections.abc import Callable

from memory.models import ModelCall
from providers.errors import ContentBlocked, ProviderError, RateLimited
from providers.llm.base import CompletionRequest
from relationships.models import Turn, TurnState
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation, add, answer


def texts_of(request: CompletionRequest) -> list[str]:
    assert request.prompt_data is not None
    return [message.content for message in request.prompt_data.messages]


def calls_of(turn: Turn) -> list[tuple[str, str]]:
    """The error and the answer of each question that the turn was part of, in order."""
    calls = {call.id: call for call in ModelCall.objects.for_relationship(turn.relationship_id)}
    return [(calls[call_id].error_code, calls[call_id].answer) for call_id in turn.model_call_ids]


def failing_with(errors: dict[str, ProviderError]) -> Callable[[CompletionRequest], object]:
    """Fails for a question about all of a key's words, and remembers nothing of any other."""

    def judge(request: CompletionRequest) -> object:
        return errors.get(" ".join(texts_of(request)), answer())

    return judge


def test_waiting_turns_are_read_in_one_call_up_to_the_configured_number(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.otherwise = answer()
    for text in ("One.", "Two.", "Three."):
        conversation.say(text, ingestion={"max_batch": 2})

    conversation.drain()

    assert [texts_of(request) for request in scripted_provider.requests] == [["One.", "Two."], ["Three."]]


def test_turns_of_different_configuration_are_not_read_together(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.otherwise = answer()
    conversation.say("One.")
    conversation.say("Two.", ingestion={"model": "a-better-one"})
    conversation.say("Three.", ingestion={"model": "a-better-one"})

    conversation.drain()

    asked = [(request.model, texts_of(request)) for request in scripted_provider.requests]
    assert asked == [(None, ["One."]), ("a-better-one", ["Two.", "Three."])]


def test_every_question_is_kept_whether_it_was_answered_or_not(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(
        RateLimited("slow down"), ContentBlocked("no"), "no JSON", answer(add("Fine"))
    )
    turn = conversation.hear("One.")
    Turn.objects.for_relationship(turn.relationship_id).update(due_at=turn.recorded_at)
    conversation.drain()
    failed = conversation.again(turn)

    turn = conversation.hear("Two.")

    assert calls_of(failed) == [("rate_limited", ""), ("content_blocked", "")]
    assert [code for code, _ in calls_of(turn)] == ["", ""]
    assert calls_of(turn)[0][1] == "no JSON"
    assert ModelCall.objects.count() == len(scripted_provider.requests) == 4


def test_a_batch_that_is_taken_apart_keeps_the_question_about_the_whole_on_each_turn(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    blocked = ContentBlocked("no")
    scripted_provider.otherwise = failing_with({"bad good": blocked, "bad": blocked})
    bad, good = conversation.say("bad"), conversation.say("good")

    conversation.drain()

    codes = [[code for code, _ in calls_of(conversation.again(turn))] for turn in (bad, good)]
    assert codes == [["content_blocked", "content_blocked"], ["content_blocked", ""]]
    assert ModelCall.objects.count() == 3


def test_when_the_first_half_has_to_wait_the_second_waits_behind_it(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    slow = RateLimited("slow down", retry_after=30)
    scripted_provider.otherwise = failing_with({"one two": ContentBlocked("no"), "one": slow})
    turns = [conversation.say("one"), conversation.say("two")]

    drained = conversation.drain()
    conversation.drain()

    first, second = (conversation.again(turn) for turn in turns)
    assert (first.state, second.state, drained.released) == (TurnState.PENDING, TurnState.PENDING, 2)
    assert (first.error_code, second.error_code, second.attempts) == ("rate_limited", "", 0)
    assert len(scripted_provider.requests) == 2
