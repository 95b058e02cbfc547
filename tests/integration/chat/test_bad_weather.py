"""What goes wrong above and below: the client is told the truth, and what it was told is kept."""

import json
from http import HTTPStatus
from typing import Any

import pytest
from django.test import Client

from chat.models import KeptContext
from relationships.models import Turn
from tests.fixtures.api import Api
from tests.fixtures.chat import CHAT, Chat, stored, text_in, turns
from tests.vendor_servers.openai_server import OpenAIServer

CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
BAD_INPUT: dict[str, tuple[dict[str, Any], int, str, str]] = {
    "an unknown model": ({"model": "nobody"}, 404, "", "GET /v1/models"),
    "nobody": ({"user": None}, 400, "user", "X-Rapport-User"),
    "an empty name": ({"user": ""}, 400, "user", "at least 1 character"),
    "no messages": ({"messages": []}, 400, "messages", "at least 1 item"),
    "messages of the system alone": (
        {"messages": [{"role": "system", "content": "Hi"}]},
        400,
        "messages",
        "nothing to reply to",
    ),
    "an unknown role": ({"messages": [{"role": "robot", "content": "Hi"}]}, 400, "messages.0.role", "one of"),
    "a message that is no object": ({"messages": ["Hi"]}, 400, "messages.0", "object"),
    "content that is a number": (
        {"messages": [{"role": "user", "content": 3}]},
        400,
        "messages.0.content",
        "text",
    ),
    "a part without a type": (
        {"messages": [{"role": "user", "content": [{"text": "Hi"}]}]},
        400,
        "messages.0.content.0",
        "type",
    ),
    "a result without its call": (
        {
            "messages": [
                {"role": "user", "content": "Hi"},
                {"role": "tool", "tool_call_id": "c9", "content": "3"},
            ]
        },
        400,
        "messages.1.tool_call_id",
        "answers no call",
    ),
    "a result after the person's words": (
        {
            "messages": [
                {"role": "user", "content": "Hi"},
                {
                    "role": "assistant",
                    "tool_calls": [{"id": "c1", "function": {"name": "f", "arguments": ""}}],
                },
                {"role": "user", "content": "Well?"},
                {"role": "tool", "tool_call_id": "c1", "content": "3"},
            ]
        },
        400,
        "messages",
        "follows the assistant's",
    ),
    "a call that is none": (
        {
            "messages": [
                {"role": "assistant", "tool_calls": [{"id": "c1"}]},
                {"role": "user", "content": "Hi"},
            ]
        },
        400,
        "messages.0.tool_calls",
        "function",
    ),
    "several replies": ({"n": 2}, 400, "n", "must be 1"),
    "a tool without a name": ({"tools": [{"type": "function"}]}, 400, "tools.0", "name"),
    "a session with a slash": ({"metadata": {"session": "a/b"}}, 400, "metadata.session", "or a /"),
    "a session no address can name": ({"metadata": {"session": ".."}}, 400, "metadata.session", "a folder"),
    "a wish of ours that is none": ({"rapport": {"wait": 3}}, 400, "rapport.wait", "not a known field"),
    "a long wait": (
        {"rapport": {"wait_for_memory": 60}},
        400,
        "rapport.wait_for_memory",
        "less than or equal",
    ),
    "too many new messages": (
        {"messages": [{"role": "user", "content": f"{n}"} for n in range(60)]},
        400,
        "messages",
        "store: false",
    ),
    "functions of an earlier protocol": (
        {"functions": [{"name": "weather"}]},
        400,
        "functions",
        "send tools",
    ),
}


@pytest.mark.parametrize(("fields", "status", "param", "said"), BAD_INPUT.values(), ids=BAD_INPUT.keys())
def test_bad_input_is_reported_with_its_field_and_what_to_do(
    chat: Chat, replying: OpenAIServer, fields: dict[str, Any], status: int, param: str, said: str
) -> None:
    answer = chat.say("Hi", **fields)

    assert answer.status == status, answer
    error = answer.body["error"]
    assert (error["param"] or "") == param and said in error["message"]
    problem = error["problem"]
    assert (problem["status"], problem["title"]) == (status, HTTPStatus(status).phrase)
    assert replying.asked == 0 and not Turn.objects.exists()


@pytest.mark.parametrize(
    "call", ["conversations", "completions", "embeddings", "responses/resp_1/input_items"]
)
def test_openais_other_calls_name_those_that_there_are(call: str, client: Client) -> None:
    answer = client.post(f"/v1/{call}", data={"model": "ada"}, content_type="application/json")

    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (404, "not_found")
    assert "/v1/chat/completions" in error["message"]


def test_ten_thousand_messages_are_accepted_if_only_the_last_is_new(
    chat: Chat, replying: OpenAIServer
) -> None:
    said = [{"role": role, "content": f"{n}"} for n in range(5000) for role in ("user", "assistant")]

    answer = chat.say(*said, "And now?")

    assert answer.status == 200, answer
    assert len(replying.requests[0].body["messages"]) >= 10_001
    assert stored()[0] == ("user", "And now?")


@pytest.mark.parametrize("key", ["rk_aaaaaaaa_" + "x" * 43, "rt_" + "0" * 32 + "_" + "x" * 43, "sk-123"])
def test_an_unknown_key_or_token_is_refused_in_openais_shape(chat: Chat, key: str) -> None:
    answer = Chat(Api(key)).say("Hi")

    assert answer.status == 401 and answer.body["error"]["type"] == "authentication_error"


BEFORE_THE_FIRST_WORD: dict[str, tuple[dict[str, Any], int]] = {
    "429": ({"status": 429, "retry_after": 7}, 429),
    "500": ({"status": 500}, 502),
    "401": ({"status": 401}, 503),
    "400": ({"status": 400, "message": "temperature is too high"}, 400),
    "no connection": ({"drop": True}, 502),
    "silence": ({"delay": 5}, 502),
    "an error as the first event": ({"error": 0}, 502),
    "no answer at all": ({"raw": "<html>", "content_type": "text/html"}, 502),
}


@pytest.mark.parametrize("streamed", [True, False], ids=["stream", "whole"])
@pytest.mark.parametrize(("item", "status"), BEFORE_THE_FIRST_WORD.values(), ids=BEFORE_THE_FIRST_WORD.keys())
def test_a_failure_before_the_first_word_has_a_status_and_stores_nothing(
    chat: Chat, replying: OpenAIServer, item: dict[str, Any], status: int, streamed: bool
) -> None:
    replying.push(item)

    answer = chat.say("Hi", stream=streamed)

    assert answer.status == status, answer
    assert answer.body["error"]["message"].startswith("The model gave no reply")
    assert answer.headers.get("Retry-After") == ("7" if status == 429 else None)
    assert not Turn.objects.exists()


AMID_THE_REPLY: dict[str, dict[str, Any]] = {
    "an error": {"error": 4},
    "the connection breaks": {"break": 4},
    "silence": {"stall": 4},
    "no finish": {"no_finish": True},
}


@pytest.mark.parametrize("item", AMID_THE_REPLY.values(), ids=AMID_THE_REPLY.keys())
def test_a_reply_that_breaks_off_ends_with_an_error_and_is_kept_as_far_as_it_came(
    chat: Chat, replying: OpenAIServer, item: dict[str, Any]
) -> None:
    replying.push({"text": "One two three four five six", **item})

    events = chat.stream("Count.")

    told = text_in(events)
    assert told.startswith("One two three") and events[-1]["error"]["code"] == "upstream_failed"
    assert stored() == [("user", "Count."), ("assistant", told)]
    assert turns()[0].interrupted and KeptContext.objects.get().finish_reason == ""


@pytest.mark.parametrize("item", AMID_THE_REPLY.values(), ids=AMID_THE_REPLY.keys())
def test_a_whole_reply_that_breaks_off_was_none(
    chat: Chat, replying: OpenAIServer, item: dict[str, Any]
) -> None:
    replying.push({"text": "One two three four five six", **item})

    assert chat.say("Count.").status == 502
    assert not Turn.objects.exists()


@pytest.mark.parametrize("events", [0, 1, 2, 5, 7])
def test_if_the_client_leaves_what_it_received_is_stored(
    chat: Chat, replying: OpenAIServer, events: int
) -> None:
    replying.push({"text": "One two three four five six"})
    body = {
        "model": "ada",
        "user": "maya",
        "stream": True,
        "messages": [{"role": "user", "content": "Count."}],
    }
    headers = {"Authorization": f"Bearer {chat.api.key}"}
    answer: Any = Client().post(f"/v1{CHAT}", json.dumps(body), "application/json", headers=headers)
    taken = [next(answer.streaming_content) for _ in range(1 + events)]

    for (
        close
    ) in answer._resource_closers:  # as the server does; answer.close() would end the test's connection too
        close()

    (turn,) = turns()
    assert turn.interrupted == (events < 7), "after the last event nothing was missed"
    said = stored()[1][1]
    assert "One two three four five six".startswith(said)
    assert said == text_in(
        [json.loads(event.removeprefix(b"data: ")) for event in taken if b"[DONE]" not in event]
    )


def test_if_the_client_leaves_during_a_call_of_its_tool_the_call_is_not_stored(
    chat: Chat, replying: OpenAIServer
) -> None:
    replying.push({"tool_calls": [{"name": "weather", "arguments": {"city": "Porto"}}]})
    body = {
        "model": "ada",
        "user": "maya",
        "stream": True,
        "tools": [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}],
        "messages": [{"role": "user", "content": "Is it sunny?"}],
    }
    headers = {"Authorization": f"Bearer {chat.api.key}"}
    answer: Any = Client().post(f"/v1{CHAT}", json.dumps(body), "application/json", headers=headers)
    heard = b"".join(next(answer.streaming_content) for _ in range(2))

    for close in answer._resource_closers:
        close()

    assert b'"weather"' in heard and b"Porto" not in heard
    assert stored() == [("user", "Is it sunny?")] and turns()[0].interrupted


def test_the_finish_reason_is_passed_on(chat: Chat, replying: OpenAIServer) -> None:
    replying.push({"text": "One two", "finish": "length"}, {"text": "One", "finish": "content_filter"})

    assert chat.say("Count.").body["choices"][0]["finish_reason"] == "length"
    assert chat.stream("Count.")[-1]["choices"][0]["finish_reason"] == "content_filter"


def test_a_call_that_broke_off_can_be_made_again_with_its_key(chat: Chat, replying: OpenAIServer) -> None:
    replying.push({"text": "One two three", "break": 3}, {"text": "One two three"})
    body = {
        "model": "ada",
        "user": "maya",
        "stream": True,
        "messages": [{"role": "user", "content": "Count."}],
    }
    headers = {"Authorization": f"Bearer {chat.api.key}", "Idempotency-Key": "once"}

    for _ in range(3):
        answer: Any = Client().post(f"/v1{CHAT}", json.dumps(body), "application/json", headers=headers)
        answer.getvalue()

    assert replying.asked == 2 and [turn.interrupted for turn in turns()] == [True, False]
