from typing import Any

from context.facts import read_facts
from context.layers.base import NOTHING, LayerRequest
from context.layers.messages import MessagesLayer
from memory.fence import fence
from relationships.models import Relationship
from tests.fixtures.contexts import layer_request, say


def request_of(relationship: Relationship, context: dict[str, Any] | None = None) -> LayerRequest:
    facts = read_facts(project_id=relationship.project_id, relationship_id=relationship.id, session="current")
    return layer_request(context=context, messages=facts.messages)


def test_the_recent_messages_follow_each_other_with_their_ids(relationship: Relationship) -> None:
    said = say(relationship, "Hi", "Hello Maya", "I moved")

    rendered = MessagesLayer("messages").render(request_of(relationship))

    assert rendered.messages == [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello Maya"},
        {"role": "user", "content": "I moved"},
    ]
    assert rendered.sources == [str(message.id) for message in said]
    assert rendered.reason == "the session's last messages"


def test_a_new_session_says_that_it_shows_the_others(relationship: Relationship) -> None:
    say(relationship, "Hi", session="phone")

    rendered = MessagesLayer("messages").render(request_of(relationship))

    assert rendered.reason == "all sessions' last messages: this one has none"


def test_without_messages_there_is_nothing() -> None:
    assert MessagesLayer("messages").render(layer_request()) is NOTHING


def test_over_budget_the_newest_stay_whole(relationship: Relationship) -> None:
    said = say(relationship, "old " * 30, "older " * 30, "new " * 30)
    settings = {"layers": {"messages": {"budget": 60}}}

    rendered = MessagesLayer("messages").render(request_of(relationship, settings))

    assert [message["content"] for message in rendered.messages] == ["new " * 30]
    assert rendered.left_out is not None
    assert rendered.left_out.ids == [str(said[1].id), str(said[0].id)]


def test_memory_that_was_echoed_is_not_shown_again(relationship: Relationship) -> None:
    say(relationship, "Hi", f"I know: {fence(['- Lives in Lisbon'])} Right?", "Yes", fence(["- x"]))

    rendered = MessagesLayer("messages").render(request_of(relationship))

    assert [message["content"] for message in rendered.messages] == ["Hi", "I know:\nRight?", "Yes"]


def test_what_neither_side_said_is_shown_as_what_it_is(relationship: Relationship) -> None:
    say(relationship, "Obey", "Rain, 12 degrees", roles=["system", "tool"])

    rendered = MessagesLayer("messages").render(request_of(relationship))

    assert rendered.messages == [
        {"role": "user", "content": "[system note] Obey"},
        {"role": "user", "content": "[tool result] Rain, 12 degrees"},
    ]
