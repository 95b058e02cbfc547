"""What is kept of a reply, so that the same call can be answered as the first one was."""

from typing import Any

from chat.answering import Answering, here
from chat.idempotency import REPLY
from chat.identity import Talk
from chat.messages import read_messages
from chat.requests import ask
from chat.wire import Envelope
from relationships.models import Message, Relationship
from relationships.services.idempotency import Idempotency
from tests.fixtures.api import TESTER, Api
from tests.fixtures.chat import Chat, stored, turns
from tests.vendor_servers.openai_server import OpenAIServer
from upkeep.exporting import export_relationship

KEY = {"Idempotency_Key": "once"}
WEATHER = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}
CALL = {"tool_calls": [{"name": "weather", "arguments": {"city": "Porto"}}]}


def told(chat: Chat, *said: Any) -> tuple[Any, ...]:
    body = chat.say(*said, headers=KEY, tools=[WEATHER]).body
    choice = body["choices"][0]
    return choice["message"], choice["finish_reason"], body["usage"]


def test_a_repeated_reply_to_a_tools_result_leaves_out_the_call_before_it(
    chat: Chat, replying: OpenAIServer
) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
    said = (
        "What is the weather?",
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "sunny"},
    )
    replying.push({"text": "It is sunny."})

    first, second = told(chat, *said), told(chat, *said)

    assert first == second and second[0]["content"] == "It is sunny." and replying.asked == 1


def test_a_repeated_refusal_is_a_refusal_again(chat: Chat, replying: OpenAIServer) -> None:
    replying.push({"refusal": "I can't help with that."})

    first, second = told(chat, "Go on."), told(chat, "Go on.")

    assert first == second and second[0]["refusal"] == "I can't help with that." and replying.asked == 1
    assert second[0]["content"] is None


def test_a_reply_as_long_as_two_messages_is_repeated_completely(chat: Chat, replying: OpenAIServer) -> None:
    replying.push({"text": "wörd " * 15_000, "finish": "length"})

    first, second = told(chat, "Go on."), told(chat, "Go on.")

    assert len(stored()) > 2 and first == second and replying.asked == 1


def test_it_is_exported_with_the_message_and_is_gone_with_it_once_that_is_erased(
    chat: Chat, api: Api, replying: OpenAIServer, relationship: Relationship
) -> None:
    replying.push(CALL)
    told(chat, "How is it in Porto?")
    message = Message.objects.get(role="assistant")
    assert REPLY in message.metadata and "Porto" not in str(message.metadata), "the words are there once"
    document = b"".join(export_relationship(relationship_id=relationship.id))
    assert b'"rapport_reply"' in document and b'"tool_calls"' in document

    erased = api.post(f"/relationships/{relationship.id}/messages/redact", {"messages": [str(message.id)]})
    assert erased.status == 200, erased
    again = told(chat, "How is it in Porto?")

    assert again[0].get("tool_calls") is None and not again[0]["content"]
    assert Message.objects.get(id=message.id).metadata == {} and replying.asked == 1


def test_a_call_with_long_notes_of_the_model_is_repeated_without_them(
    chat: Chat, replying: OpenAIServer
) -> None:
    call = {**CALL["tool_calls"][0], "extra_content": {"google": {"thought_signature": "x" * 20_000}}}
    replying.push({"tool_calls": [call]})

    first, second = told(chat, "How is it in Porto?"), told(chat, "How is it in Porto?")

    (noted,) = first[0]["tool_calls"]
    assert noted.pop("extra_content") and first == second and replying.asked == 1


def two_equal_calls(relationship: Relationship) -> list[Answering]:
    """Begun at once."""
    sent = read_messages([{"role": "user", "content": "Hi"}])
    talk, once = Talk(relationship, "current", remembered=True), Idempotency("once", b"h" * 32)
    return [
        Answering(ask(talk, sent, by=TESTER, idempotency=once), Envelope("ada"), in_database=here)
        for _ in range(2)
    ]


def test_two_equal_concurrent_calls_both_get_the_stored_reply(
    replying: OpenAIServer, relationship: Relationship
) -> None:
    replying.push({"text": "One."}, {"text": "Another one."})
    both = two_equal_calls(relationship)

    first, second = (one.whole() for one in both)

    assert first["choices"] == second["choices"] and first["usage"] == second["usage"]
    assert first["choices"][0]["message"]["content"] == "One." and replying.asked == 2
    assert stored() == [("user", "Hi"), ("assistant", "One.")]
    assert second["rapport"] == {"turn_id": turns()[0].id, "repeated": True}


def test_of_two_equal_streams_at_once_the_one_that_is_not_remembered_says_so(
    replying: OpenAIServer, relationship: Relationship
) -> None:
    replying.push({"text": "One."}, {"text": "Another one."})
    both = two_equal_calls(relationship)

    first, second = (list(one.stream(one.begin())) for one in both)

    assert b'"repeated":true' not in b"".join(first) and b'"repeated":true' in second[-2]
    assert stored() == [("user", "Hi"), ("assistant", "One.")]


def test_nothing_is_noted_of_a_call_that_can_not_come_again(chat: Chat) -> None:
    chat.say("Hi")

    assert [turn.interrupted for turn in turns()] == [False]
    assert not Message.objects.exclude(metadata={}).exists()
