"""Whose earlier messages stand before the current one: those that are stored, or the client's own."""

from typing import Any

import pytest

from context.formats import OPENING
from providers.tokens import estimate_tokens
from relationships.models import Companion, Relationship
from tests.fixtures.api import Api, ApiAnswer
from tests.fixtures.chat import Chat, stored
from tests.fixtures.contexts import hear, remember, say
from tests.vendor_servers.openai_server import OpenAIServer


def test_the_clients_earlier_exchanges_are_used_unchanged(chat: Chat, replying: OpenAIServer) -> None:
    chat.say("I live in Porto.")

    chat.say("I live in Braga.", {"role": "assistant", "content": "Lovely."}, "And you?")

    sent = [
        message["content"] for message in replying.requests[1].body["messages"] if message["role"] != "system"
    ]
    assert sent == ["I live in Braga.", "Lovely.", "And you?"]
    assert stored()[2][1] == "And you?"


def test_stored_messages_that_are_not_sent_take_nothing_of_a_budget(
    chat: Chat, replying: OpenAIServer, relationship: Relationship, companion: Companion
) -> None:
    companion.config["context"] |= {"budget": 500}
    companion.save()
    say(relationship, *["The weather was dull, as on most days. " * 3] * 12)
    remember(relationship, *[f"Found town {place} dull" for place in range(90)])

    chat.say("Hello", {"role": "assistant", "content": "Hi."}, "How was Faro?")

    sent = replying.requests[0].body["messages"]
    assert [message["role"] for message in sent] == ["system", "user", "assistant", "user"]
    assert 400 < estimate_tokens(sent[0]["content"]) < 500


def test_episodes_are_what_the_client_does_not_send_itself(
    chat: Chat, replying: OpenAIServer, relationship: Relationship, companion: Companion
) -> None:
    """Nothing that it sends, from however far back; and what is recent, where it sends that no more."""
    companion.config["context"] |= {"recent_messages": 2}
    companion.save()
    for text in ("The tomato Nora grew was red.", "I read.", "A tomato is a fruit.", "I read on."):
        hear(relationship, text)

    chat.say(
        "The tomato Nora grew was red.", {"role": "assistant", "content": "Nice."}, "What of Nora's tomato?"
    )

    system = replying.requests[0].body["messages"][0]["content"]
    assert "A tomato is a fruit." in system and "was red" not in system


def test_a_client_that_sends_only_the_newest_message_gets_the_stored_ones(
    chat: Chat, replying: OpenAIServer
) -> None:
    replying.push({"text": "Porto is nice."})
    chat.say("I live in Porto.")

    chat.say("Where do I live?")

    sent = [
        message["content"] for message in replying.requests[1].body["messages"] if message["role"] != "system"
    ]
    assert sent == ["I live in Porto.", "Porto is nice.", "Where do I live?"]


def test_the_roles_of_stored_messages_alternate(
    chat: Chat, replying: OpenAIServer, relationship: Relationship
) -> None:
    """Templates of open models, such as Gemma's and Mistral's, refuse two messages of one role in a row."""
    hear(relationship, "I live in Porto.")
    hear(relationship, "I have a cat.")

    chat.say("Where do I live?")
    hear(relationship, "I moved.")
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    chat.say({"role": "user", "content": [{"type": "text", "text": "To here:"}, picture]})

    first, second = ([m["content"] for m in one.body["messages"][1:]] for one in replying.requests)
    assert first == ["I live in Porto.\n\nI have a cat.\n\nWhere do I live?"]
    assert second[0] == first[0] and len(second) == 3
    assert second[2] == [{"type": "text", "text": "I moved."}, {"type": "text", "text": "To here:"}, picture]


def test_what_the_companion_said_by_itself_is_known_in_the_next_reply(
    chat: Chat, replying: OpenAIServer, api: Api
) -> None:
    maya = api.post("/relationships", {"companion": "ada", "user": "maya"}).body["id"]
    opened = {"role": "assistant", "content": "How is your knee?"}
    assert api.post(f"/relationships/{maya}/turns", {"messages": [opened]}).status == 202

    chat.say("Much better!")

    assert replying.requests[0].body["messages"][-3:] == [
        {"role": "user", "content": OPENING},
        opened,
        {"role": "user", "content": "Much better!"},
    ]


@pytest.mark.parametrize(
    ("said", "told"),
    [(("Hi",), True), (("Hello", {"role": "assistant", "content": "Hi."}, "Hi"), False)],
    ids=["stored messages", "the client's own"],
)
def test_the_day_of_stored_messages_is_told_where_those_are_shown(
    chat: Chat, replying: OpenAIServer, relationship: Relationship, said: tuple[Any, ...], told: bool
) -> None:
    say(relationship, "I won last Friday!")

    chat.say(*said)

    shown = "\n".join(message["content"] for message in replying.requests[0].body["messages"])
    assert ("said on Monday, 2026-03-02." in shown) is told


def test_an_equal_earlier_message_keeps_its_place(
    chat: Chat, replying: OpenAIServer, companion: Companion
) -> None:
    companion.config["context"] |= {"layers": {"current": {"enabled": False}}}
    companion.save()
    replying.push({"text": "Really?"}, {"text": "Well then."})
    chat.say("Yes.")
    chat.say("Really.")

    chat.say("Yes.")

    sent = [message["content"] for message in replying.requests[2].body["messages"]]
    assert sent == ["Yes.", "Really?", "Really.", "Well then.", "Yes."]


def test_of_several_people_the_names_are_kept_and_shown(chat: Chat, replying: OpenAIServer) -> None:
    for text in ("I hate broccoli.", "Is Leo here?"):
        replying.push({"text": "Noted."})
        chat.say({"role": "user", "content": text, **({"name": "Leo"} if "hate" in text else {})})

    sent = [message["content"] for message in replying.requests[1].body["messages"]]
    assert sent == ["Leo: I hate broccoli.", "Noted.", "Is Leo here?"]


def test_a_named_message_that_is_sent_again_is_shown_once(
    chat: Chat, replying: OpenAIServer, relationship: Relationship
) -> None:
    say(relationship, "I hate broccoli.", roles=["user"], speaker="Leo")

    chat.say({"role": "user", "content": "I hate broccoli.", "name": "Leo"})

    sent = [message for message in replying.requests[0].body["messages"] if message["role"] == "user"]
    assert [message["content"] for message in sent] == ["I hate broccoli."]


WEATHER = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}


def calls(reply: ApiAnswer) -> list[dict[str, Any]]:
    """The reply as a client sends it back, with the result of its call."""
    message = reply.body["choices"][0]["message"]
    result = {"role": "tool", "tool_call_id": message["tool_calls"][0]["id"], "content": "Rain."}
    return [message, result]


def test_a_client_that_sends_only_the_newest_exchange_gets_the_stored_ones_after_a_call_of_its_tools_too(
    chat: Chat, replying: OpenAIServer
) -> None:
    call = {"tool_calls": [{"name": "weather", "arguments": {"city": "Porto"}}]}
    replying.push({"text": "Porto is nice."}, call, call, {"text": "Take an umbrella."}, {"text": "Bye."})
    chat.say("I go to Porto.")
    said: list[Any] = ["What will the weather be there?"]
    for _ in range(2):
        said += calls(chat.say(*said, tools=[WEATHER]))

    chat.say(*said, tools=[WEATHER])
    chat.say("Thanks.", tools=[WEATHER])

    asked = [[m for m in one.body["messages"] if m["role"] != "system"] for one in replying.requests]
    before = [
        {"role": "user", "content": "I go to Porto."},
        {"role": "assistant", "content": "Porto is nice."},
    ]
    assert [messages[:2] for messages in asked[1:]] == 4 * [before]
    assert asked[3][2:] == [{"role": "user", "content": said[0]}, *said[1:]]
    assert [m["role"] for m in asked[4][2:]] == ["user", "assistant", "user"]
