"""OpenAI's Responses protocol: its form, and what follows an earlier response."""

from typing import Any

from openai.types.responses import ResponseFunctionToolCall

from chat.responses.ids import reply_of
from relationships.models import Message
from relationships.services.hiding import hide_messages
from tests.fixtures.api import Api
from tests.fixtures.chat import Chat, stored, turns
from tests.fixtures.responses import WEATHER, Responses
from tests.vendor_servers.openai_server import OpenAIServer

CALL = {
    "tool_calls": [
        {
            "name": "weather",
            "arguments": {"city": "Porto"},
            "extra_content": {"google": {"thought_signature": "s"}},
        }
    ]
}


def sent(server: OpenAIServer, place: int = -1) -> list[dict[str, Any]]:
    """What the model was sent, without the system message."""
    return [one for one in server.requests[place].body["messages"] if one["role"] != "system"]


def system(server: OpenAIServer) -> str:
    return str(server.requests[-1].body["messages"][0]["content"])


def test_a_reply_is_one_response_and_one_turn(responses: Responses, replying: OpenAIServer) -> None:
    replying.push({"text": "Rice."})
    response = responses.ask(
        "What shall I cook?", instructions="Be brief.", temperature=0.2, max_output_tokens=50, top_k=3,
        reasoning={"effort": "low"}, text={"format": {"type": "json_schema", "name": "dish", "schema": {}}},
    )  # fmt: skip

    assert (response.output_text, response.status, response.instructions) == (
        "Rice.",
        "completed",
        "Be brief.",
    )
    assert response.usage and response.usage.total_tokens > 1
    assert stored() == [("user", "What shall I cook?"), ("assistant", "Rice.")]
    named = reply_of(response.id)
    assert named and named.turn_id == turns()[0].id
    assert system(replying).startswith("Be brief.")
    asked = replying.requests[-1].body
    assert (asked["temperature"], asked["top_k"], asked["reasoning_effort"]) == (0.2, 3, "low")
    assert asked["max_completion_tokens"] == 50
    assert asked["response_format"] == {"type": "json_schema", "json_schema": {"name": "dish", "schema": {}}}
    assert not {"input", "instructions", "text", "reasoning", "user", "max_output_tokens"} & asked.keys()


def test_a_stream_has_the_protocols_events_in_order(responses: Responses, replying: OpenAIServer) -> None:
    replying.push({"pieces": ["Plain", " rice."]})

    events = responses.stream("What shall I cook?")

    assert [event["type"].removeprefix("response.") for event in events] == [
        "created", "in_progress", "output_item.added", "content_part.added", "output_text.delta", "output_text.delta",
        "output_text.done", "content_part.done", "output_item.done", "completed",
    ]  # fmt: skip
    last = events[-1]["response"]
    assert events[-4]["text"] == "Plain rice." == last["output"][0]["content"][0]["text"]
    assert events[0]["response"]["id"] == last["id"] and last["rapport"]["turn_id"] == str(turns()[0].id)
    assert last["usage"]["output_tokens"] == 2


def test_a_call_of_the_clients_tool_is_answered_by_the_response_that_follows(
    responses: Responses, replying: OpenAIServer
) -> None:
    """The client sends the result alone; the model is sent the question, and its call as it made it."""
    replying.push(CALL, CALL, {"text": "Take no umbrella."})
    first = responses.ask("Do I need an umbrella?", tools=[WEATHER])
    (call,) = first.output
    assert isinstance(call, ResponseFunctionToolCall) and (call.name, call.arguments) == (
        "weather",
        '{"city": "Porto"}',
    )
    result: dict[str, Any] = {"type": "function_call_output", "call_id": call.call_id, "output": "sunny"}

    events = responses.stream([result], tools=[WEATHER], previous_response_id=first.id)
    second = events[-1]["response"]
    result = result | {"output": [{"type": "input_text", "text": "dry"}]}
    third = responses.ask([result], tools=[WEATHER], previous_response_id=second["id"], user=None)

    assert [event["type"].removeprefix("response.") for event in events[2:-1]] == [
        "output_item.added", "function_call_arguments.delta", "function_call_arguments.delta",
        "function_call_arguments.done", "output_item.done",
    ]  # fmt: skip
    assert third.output_text == "Take no umbrella."
    assert [one["role"] for one in sent(replying)] == ["user", "assistant", "tool", "assistant", "tool"]
    made = sent(replying)[1]["tool_calls"][0]
    assert made["function"] == {"name": "weather", "arguments": '{"city": "Porto"}'}
    assert made["extra_content"] == {"google": {"thought_signature": "s"}}
    assert [one["content"] for one in sent(replying) if one["role"] == "tool"] == ["sunny", "dry"]
    assert [role for role, _ in stored()] == ["user", "assistant", "tool", "assistant", "tool", "assistant"]
    assert len(turns()) == 3


def test_what_follows_a_response_is_said_in_its_session(responses: Responses, replying: OpenAIServer) -> None:
    first = responses.ask("I like rice.", conversation={"id": "kitchen"})
    responses.ask("And in another session.", conversation="garden")

    responses.ask("What do I like?", previous_response_id=first.id)

    assert [turn.session for turn in turns()] == ["kitchen", "garden", "kitchen"]
    assert [one["content"] for one in sent(replying) if one["role"] == "user"] == [
        "I like rice.",
        "What do I like?",
    ]
    refused = responses.send("What?", previous_response_id=first.id, metadata={"session": "garden"})
    assert refused.status == 400 and refused.body["error"]["param"] == "previous_response_id"


def test_something_new_must_follow(responses: Responses, replying: OpenAIServer) -> None:
    """What was said before is nothing to reply to; a call and its result are, also if the client made up the call."""
    first = responses.ask("I like rice.")
    for said in ({"role": "developer", "content": "Be brief."}, {"role": "assistant", "content": "Rice."}):
        refused = responses.send([said], previous_response_id=first.id)
        assert refused.status == 400 and refused.body["error"]["param"] == "input"
    call = {"type": "function_call", "call_id": "c", "name": "weather", "arguments": "{}"}
    result = {"type": "function_call_output", "call_id": "c", "output": "sunny"}

    responses.ask([call, result], previous_response_id=first.id, tools=[WEATHER])

    assert [one["role"] for one in sent(replying)] == ["user", "assistant", "tool"]
    assert [role for role, _ in stored()] == ["user", "assistant", "tool", "assistant"]


def test_another_reply_to_the_same_words_takes_the_place_of_the_first(
    responses: Responses, replying: OpenAIServer
) -> None:
    replying.push({"text": "Hello."}, {"text": "Rice."}, {"text": "Beans."})
    first = responses.ask("Hi!")
    responses.ask("What shall I cook?", previous_response_id=first.id)
    responses.ask("What shall I cook?", previous_response_id=first.id)

    shown = Message.objects.filter(hidden_at=None).order_by("seq").values_list("content", flat=True)
    assert list(shown) == ["Hi!", "Hello.", "What shall I cook?", "Beans."]


def test_a_client_may_send_the_conversation_itself_or_refer_to_its_items(
    responses: Responses, replying: OpenAIServer
) -> None:
    replying.push(CALL, {"text": "Sunny."}, {"text": "Yes."})
    first = responses.ask("What is the weather like?", tools=[WEATHER])
    call = first.output[0]
    assert isinstance(call, ResponseFunctionToolCall)
    asked = {"role": "user", "content": [{"type": "input_text", "text": "What is the weather like?"}]}
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "sunny"}
    without_notes = call.model_dump(exclude={"extra_content"})

    second = responses.ask(
        [asked, {"type": "reasoning", "id": "rs_1", "summary": []}, without_notes, result], tools=[WEATHER]
    )
    items = [asked, {"type": "item_reference", "id": call.id}, result, {"id": second.output[0].id}]
    responses.ask([*items, {"role": "user", "content": "Really?"}], tools=[WEATHER])

    assert [one["role"] for one in sent(replying)] == ["user", "assistant", "tool", "assistant", "user"]
    assert sent(replying)[3]["content"] == "Sunny."
    for place in (1, 2):
        assert sent(replying, place)[1]["tool_calls"][0]["extra_content"] == {
            "google": {"thought_signature": "s"}
        }
    assert [role for role, _ in stored()] == ["user", "assistant", "tool", "assistant", "user", "assistant"]


def test_a_response_can_be_read_again_while_it_is_there(
    responses: Responses, replying: OpenAIServer, api: Api
) -> None:
    replying.push({**CALL, "pieces": ["One", " moment."]})
    told = responses.stream("What is the weather like?", tools=[WEATHER])[-1]["response"]
    path = f"/responses/{told['id']}"

    again = api.get(path)

    same = ("id", "output", "status", "model", "usage")
    assert again.status == 200 and {name: again.body[name] for name in same} == {
        name: told[name] for name in same
    }
    turn = turns()[0]
    hide_messages(
        relationship_id=turn.relationship_id,
        message_ids=list(Message.objects.values_list("id", flat=True)),
        now=turn.recorded_at,
    )
    assert api.get(path).body["output"][0]["content"][0]["text"] == ""


def test_a_repeated_call_gets_the_same_response(responses: Responses, replying: OpenAIServer) -> None:
    key = {"Idempotency-Key": "once"}
    first = responses.send("I like rice.", headers=key)
    again = responses.send("I like rice.", headers=key)

    assert first.body["id"] == again.body["id"] and first.body["output"] == again.body["output"]
    assert again.body["rapport"]["repeated"] and len(turns()) == 1 and replying.asked == 1


def test_both_protocols_go_on_with_each_others_conversation(
    responses: Responses, chat: Chat, replying: OpenAIServer
) -> None:
    first = responses.ask("I like rice.")
    chat.say("And beans.")
    responses.ask("What do I like?", previous_response_id=first.id)

    assert [one["content"] for one in sent(replying) if one["role"] == "user"] == [
        "I like rice.", "And beans.", "What do I like?",
    ]  # fmt: skip
