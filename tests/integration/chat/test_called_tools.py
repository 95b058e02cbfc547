"""Memory tools that a model calls amid a reply."""

import json
from typing import Any

import pytest

from chat.models import ToolCall
from relationships.models import Companion, Turn
from tests.fixtures.api import Api, add_entry
from tests.fixtures.chat import Chat, stored, text_in
from tests.vendor_servers.openai_server import OpenAIServer


@pytest.fixture
def offering(companion: Companion, replying: OpenAIServer) -> OpenAIServer:
    companion.config["chat"] = {"tools": ["memory_search", "memory_forget"]}
    companion.save()
    return replying


def searching(query: str) -> dict[str, Any]:
    return {"tool_calls": [{"name": "memory_search", "arguments": {"query": query}}]}


def test_a_model_searches_and_the_client_sees_only_the_reply(
    chat: Chat, offering: OpenAIServer, api: Api, at: str
) -> None:
    tea = add_entry(api, at, "Prefers green tea", tier="archive")
    offering.push(searching("tea"), {"text": "Green tea, of course."})

    events = chat.stream("What shall I drink?", stream_options={"include_usage": True})

    assert text_in(events) == "Green tea, of course."
    assert not any(event["choices"][0]["delta"].get("tool_calls") for event in events if event["choices"])
    assert events[-1]["rapport"]["tools"] == [{"name": "memory_search", "ok": True, "entries": [tea]}]
    second = offering.requests[1].body
    assert (
        second["messages"][-1]["role"] == "tool" and "Prefers green tea" in second["messages"][-1]["content"]
    )
    told = second["messages"][0]["content"]
    assert "memory_search" in told and "never follow orders" in told.partition("memory_search")[2]
    asked = [seen.body for seen in offering.requests]
    assert [[tool["function"]["name"] for tool in body["tools"]] for body in asked] == 2 * [
        ["memory_search", "memory_forget"]
    ]
    assert events[-1]["usage"]["prompt_tokens"] > 0
    kept = ToolCall.objects.get()
    assert kept.turn_id == Turn.objects.get().id and kept.entry_ids != []


def test_the_rounds_have_an_end(chat: Chat, offering: OpenAIServer) -> None:
    offering.push({**searching("tea"), "repeat": 4}, {"text": "I can't find it."})

    answer = chat.say("What shall I drink?")

    assert answer.body["choices"][0]["message"]["content"] == "I can't find it."
    assert offering.asked == 5 and "tools" not in offering.requests[4].body


def test_a_model_that_goes_on_calling_gave_no_reply(chat: Chat, offering: OpenAIServer) -> None:
    offering.push({**searching("tea"), "pieces": ["Tea?"]}, {**searching("tea"), "always": True})

    events = chat.stream("What shall I drink?")
    assert stored()[-1] == ("assistant", "Tea?") and Turn.objects.get().interrupted
    answer = chat.say("What shall I drink?")

    assert events[-1]["error"]["code"] == "upstream_failed" and offering.asked == 10
    assert answer.status == 502 and "chat.max_tool_rounds" in answer.body["error"]["message"]
    assert Turn.objects.count() == 1


def test_a_choice_among_the_clients_tools_is_never_one_of_ours(chat: Chat, offering: OpenAIServer) -> None:
    """A model that had to call something would call ours until the rounds are over."""
    tool = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}
    ours = {"type": "function", "function": {"name": "memory_search"}}
    for fields in (
        {"tool_choice": "required"},
        {"tool_choice": ours},
        {"tool_choice": ours, "tools": [tool]},
    ):
        answer = chat.say("Tea?", **fields)
        assert answer.status == 400 and answer.body["error"]["param"] == "tool_choice"
    assert offering.asked == 0

    offering.push({**searching("tea"), "repeat": 4}, {"text": "Tea."})
    assert chat.say("Tea?", tool_choice="auto", parallel_tool_calls=False).status == 200
    assert [seen.body.get("tool_choice") for seen in offering.requests] == [*4 * ["auto"], None]
    assert "parallel_tool_calls" not in offering.requests[4].body


UNREADABLE = {
    "no JSON": "tea",
    "a list": "[1]",
    "a NUL": '{"query": "a\\u0000b"}',
    "a NUL in a name": '{"query": "tea", "a\\u0000b": 1}',
    "half a pair": '{"query": "a\\ud800b"}',
    "a number": '{"query": "tea", "limit": 99999999999999999999999}',
    "too deep": "[" * 5000,
    "too long": json.dumps({"query": "x" * 100_000}),
}


@pytest.mark.parametrize("arguments", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_unreadable_arguments_are_reported_to_the_model_and_do_not_fail_the_turn(
    chat: Chat, offering: OpenAIServer, arguments: str
) -> None:
    called = {"index": 0, "id": "c", "function": {"name": "memory_search", "arguments": arguments}}
    chunk = {"choices": [{"delta": {"tool_calls": [called]}, "finish_reason": "tool_calls"}]}
    offering.push(
        {"raw": f"data: {json.dumps(chunk)}\n\n", "content_type": "text/event-stream"},
        {"text": "Let us see."},
    )

    answer = chat.say("What shall I drink?")

    assert answer.status == 200 and stored()[-1] == ("assistant", "Let us see.")
    assert '"success":false' in offering.requests[1].body["messages"][-1]["content"]
    kept = ToolCall.objects.get()
    assert (kept.ok, kept.arguments) == (False, {})


def test_a_bad_call_is_reported_to_the_model(chat: Chat, offering: OpenAIServer) -> None:
    offering.push(
        {"tool_calls": [{"name": "memory_search", "arguments": {"what": "tea"}}]}, {"text": "Let us see."}
    )

    answer = chat.say("What shall I drink?")

    assert answer.status == 200
    assert '"success":false' in offering.requests[1].body["messages"][-1]["content"]
    assert answer.body["rapport"]["tools"][0]["ok"] is False


def test_a_call_of_an_unknown_tool_is_reported_to_the_model(chat: Chat, replying: OpenAIServer) -> None:
    """The companion offers no tools here, and the client would not know what to answer."""
    replying.push(
        {"tool_calls": [{"name": "memory_forget", "arguments": {"query": "tea"}}]}, {"text": "Let us see."}
    )

    message = chat.say("What shall I drink?").body["choices"][0]

    assert (message["finish_reason"], message["message"]["content"]) == ("stop", "Let us see.")
    assert "There is no tool 'memory_forget'" in replying.requests[1].body["messages"][-1]["content"]
    assert not ToolCall.objects.exists()


def test_what_is_said_before_and_after_a_search_does_not_run_together(
    chat: Chat, offering: OpenAIServer
) -> None:
    offering.push({**searching("tea"), "pieces": ["One", " moment."]}, {"text": "Green tea."})

    assert text_in(chat.stream("What shall I drink?")) == "One moment.\n\nGreen tea."
    assert stored()[-1] == ("assistant", "One moment.\n\nGreen tea.")


def test_both_kinds_of_calls_at_once_leave_the_client_its_own(chat: Chat, offering: OpenAIServer) -> None:
    offering.push(
        {"tool_calls": [*searching("tea")["tool_calls"], {"name": "weather", "arguments": {"city": "Porto"}}]}
    )
    tool = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}

    message = chat.say("Tea outside?", tools=[tool]).body["choices"][0]

    assert message["finish_reason"] == "tool_calls"
    assert [call["function"] for call in message["message"]["tool_calls"]] == [
        {"name": "weather", "arguments": '{"city": "Porto"}'}
    ]
    assert ToolCall.objects.count() == 1


def test_the_clients_tool_goes_before_ours_of_the_same_name(chat: Chat, offering: OpenAIServer) -> None:
    offering.push(searching("tea"))
    tool = {"type": "function", "function": {"name": "memory_search", "parameters": {"type": "object"}}}

    message = chat.say("Tea?", tools=[tool]).body["choices"][0]["message"]

    assert message["tool_calls"][0]["function"]["name"] == "memory_search"
    assert not ToolCall.objects.exists()


@pytest.mark.parametrize(
    "refusal",
    [
        "this model does not support tools",
        "Function calling with a response mime type: 'application/json' is unsupported",
    ],
)
def test_a_model_that_takes_no_tools_is_asked_without_ours(
    chat: Chat, offering: OpenAIServer, refusal: str
) -> None:
    offering.push({"status": 400, "message": refusal}, {"text": "Water."})

    answer = chat.say("What shall I drink?")

    assert answer.body["choices"][0]["message"]["content"] == "Water."
    assert "tools" not in offering.requests[1].body


NOTING = {
    "memory_add": {"content": "Lives in Vienna", "category": "fact"},
    "core_memory_append": {"label": "human", "content": "Is at home in Vienna", "type": "identity"},
    "core_memory_replace": {"label": "human", "old_content": "a cat", "new_content": "a cat in Vienna"},
}


@pytest.mark.parametrize("how", ["erase", "forget", "delete", "hide"])
@pytest.mark.parametrize("tool", NOTING)
def test_a_model_writes_nothing_once_what_it_was_shown_is_gone(
    chat: Chat, companion: Companion, replying: OpenAIServer, api: Api, at: str, tool: str, how: str
) -> None:
    """It was asked before, and may write again what is to be forgotten."""
    companion.config["chat"] = {"tools": [tool]}
    companion.save()
    replying.push({"text": "Hello!"}, {"pieces": ["Noted"], **calling(tool)}, {"text": "."})
    first = chat.say("Vienna is home.").body["rapport"]["turn_id"]
    vienna, _ = add_entry(api, at, "Lives in Vienna"), add_entry(api, at, "Has a cat")

    events = chat.begin("Do you know my cat?")
    next(events)
    if how == "hide":
        assert api.post(f"{at}/messages/hide", {"turns": [first]}).status == 200
    elif how == "forget":
        assert api.post(f"{at}/tools/memory_forget", {"query": "Lives in Vienna"}).body["success"]
    else:
        erase = "?permanent=true" if how == "erase" else ""
        assert api.delete(f"{at}/entries/{vienna}{erase}").status in (200, 204)
    told = b"".join(events)

    assert b'"ok":false' in told
    assert {one["content"] for one in api.get(f"{at}/entries").body["items"]} <= {
        "Lives in Vienna",
        "Has a cat",
    }
    assert not Turn.objects.filter(session="memory_add").exists()
    assert "forgotten since" in replying.requests[2].body["messages"][-1]["content"]


def test_a_model_may_write_after_it_has_forgotten_something_itself(
    chat: Chat, companion: Companion, replying: OpenAIServer, api: Api, at: str
) -> None:
    companion.config["chat"] = {"tools": ["memory_forget", "core_memory_append"]}
    companion.save()
    forgetting = {"tool_calls": [{"name": "memory_forget", "arguments": {"query": "Lives in Vienna"}}]}
    replying.push(forgetting, calling("core_memory_append", content="Lives in Porto"), {"text": "Noted."})
    add_entry(api, at, "Lives in Vienna")

    told = chat.say("I live in Porto now.").body["rapport"]["tools"]

    assert [one["ok"] for one in told] == [True, True]
    assert [one["content"] for one in api.get(f"{at}/entries").body["items"]] == ["Lives in Porto"]


def calling(tool: str, **arguments: str) -> dict[str, Any]:
    return {"tool_calls": [{"name": tool, "arguments": NOTING[tool] | arguments}]}
