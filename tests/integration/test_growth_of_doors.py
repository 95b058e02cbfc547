"""What other protocols are sent costs as much as it is long, too: /mcp, /mem0 and OpenAI's. (Git's pushes:
tests/integration/workspace/test_push_growth.py; what REST is sent: test_growth_of_requests.py)

Here bodies are lawful: as large as shows a square, of the shape that asks for the most work. With RAPPORT_DRILLS=long
chat is sent each shape to be kept and not to be, else half of them to each.
"""

import json
from collections.abc import Callable
from typing import Any

import orjson
import pytest
from django.db import transaction
from django.test import Client
from pytest_django.fixtures import Settings

from memory.models import ScratchpadEntry
from relationships.models import Relationship
from tests.acceptance.drills.talk import LONG
from tests.growth import MOST, growth
from tests.integration.api.walks.lawful import TEXTS
from tests.integration.api.walks.test_growth_of_requests import LONGEST_ANSWER, SHAPES
from tests.vendor_servers.openai_server import OpenAIServer

SIZE, LARGE = 240_000, 1_000_000  # bytes; the larger body is four times as long, and nearly as long as may be
Made = Callable[[int], Any]


class Door:
    """One address of another protocol; each body meets the same world."""

    def __init__(self, path: str, key: str, **headers: str) -> None:
        self.path, self.headers = path, {"Authorization": f"Bearer {key}", **headers}

    def take(self, body: bytes) -> int:
        with transaction.atomic():
            answer = Client().post(self.path, body, "application/json", headers=self.headers)
            told = answer.getvalue()
            transaction.set_rollback(True)
        assert answer.status_code < 500, told
        assert answer.status_code < 400 or len(told) < LONGEST_ANSWER
        return int(answer.status_code)

    def walk(self, shapes: dict[str, Made], size: int) -> None:
        for name, made in shapes.items():
            assert growth(self.take, composed(written, made), size=size) < MOST, name


def written(body: Any) -> bytes:
    return body if isinstance(body, bytes) else orjson.dumps(body)


def composed(outer: Callable[[Any], Any], inner: Made) -> Made:
    return lambda size: outer(inner(size))


def times(size: int, each: Any) -> list[Any]:
    """So many of one thing that they are about `size` long."""
    return [each] * (size // (len(json.dumps(each)) + 2))


def named(size: int, value: Any = 1) -> dict[str, Any]:
    return {f"n{number}": value for number in range(size // 16)}


@pytest.fixture
def mcp(relationship: Relationship, api_key: str) -> Door:
    accepts = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
    return Door(f"/mcp/relationships/{relationship.id}", api_key, **accepts)


def asked(method: str, params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def used(tool: str, **arguments: Any) -> dict[str, Any]:
    return asked("tools/call", {"name": tool, "arguments": arguments})


MCP: dict[str, Made] = {
    "wide arguments": lambda size: used("remember", content="Tea", **named(size)),
    "wide metadata": lambda size: asked("tools/call", {"name": "recall", "_meta": named(size)}),
    "capabilities": lambda size: asked("initialize", {"capabilities": {"experimental": named(size, {})}}),
    "no such tool": lambda size: used("x" * size),
    "no such method": lambda size: asked("x" * size, {}),
    "ticks": lambda size: used("forget", what="tea", plan_id="0", ticked=times(size, 12345)),
    "objects": lambda size: used("remember", content=times(size, {})),
}


def test_what_mcp_is_sent_costs_as_much_as_it_is_long(mcp: Door) -> None:
    assert mcp.take(written(used("remember", content="Likes tea.", type="preference"))) == 200

    mcp.walk(MCP, SIZE)
    mcp.walk(SHAPES, SIZE)


@pytest.mark.parametrize("tool", ["recall", "search", "get_context", "remember", "forget"])
def test_what_a_tool_of_mcp_is_told_costs_as_much_as_it_is_long(mcp: Door, tool: str) -> None:
    name = {"get_context": "message", "remember": "content", "forget": "what"}.get(tool, "query")

    mcp.walk(
        {sort: composed(lambda told: used(tool, **{name: told}), text) for sort, text in TEXTS.items()}, 2000
    )


PERSON: dict[str, Any] = {"user_id": "maya", "agent_id": "ada"}
SAID: dict[str, Any] = {"messages": [{"role": "user", "content": "I like tea."}], **PERSON}
HI: dict[str, Any] = {"role": "user", "content": "Hi"}
MEM0: dict[str, dict[str, Made]] = {
    "v3/memories/add/": {
        "messages": lambda size: {**PERSON, "messages": times(size, HI)},
        "parts": lambda size: {
            **PERSON,
            "messages": [{"role": "user", "content": times(size, {"type": "image"})}],
        },
        "metadata": lambda size: {**SAID, "metadata": named(size)},
        "wide": lambda size: {**SAID, **named(size)},
        "spaces before a date": lambda size: {**PERSON, "messages": " " * size + "[2026-03-02"},
        "as they are": lambda size: {**PERSON, "infer": False, "messages": times(size, HI)},
    },
    "v3/memories/": {
        "conditions": lambda size: {"filters": {"AND": times(size, {"user_id": "maya"})}},
        "wide": lambda size: {"filters": {**PERSON, **named(size)}},
        "as text": lambda size: {"filters": json.dumps({"AND": times(size, {"user_id": "maya"})})},
    },
    "v3/memories/search/": {
        "conditions": lambda size: {"query": "tea", "filters": {"AND": times(size, PERSON)}},
        "query": lambda size: {"query": "tea " * (size // 4), "filters": PERSON},
    },
}


@pytest.mark.parametrize("path", MEM0)
def test_what_mem0_is_sent_costs_as_much_as_it_is_long(
    relationship: Relationship, api_key: str, settings: Settings, path: str
) -> None:
    settings.MEM0 = True
    door = Door(f"/mem0/{path}", api_key)
    assert door.take(written({**SAID, "query": "tea", "filters": PERSON})) == 200

    door.walk(MEM0[path], SIZE)
    door.walk(SHAPES, SIZE)


def test_mem0_keeps_as_many_messages_at_once_as_a_turn_has_and_none_of_more(
    relationship: Relationship, api_key: str, settings: Settings
) -> None:
    """Each is written by a call of its own, with the metadata of all."""
    settings.MEM0 = True
    body = {**PERSON, "infer": False, "metadata": {"a": "b" * 16_000}}
    many = [{"role": "user", "content": f"Fact {n}"} for n in range(settings.MAX_MESSAGES_PER_TURN + 1)]

    answer = Client().post(
        "/mem0/v3/memories/add/",
        {**body, "messages": many},
        "application/json",
        headers={"Authorization": f"Token {api_key}"},
    )
    assert answer.status_code == 400 and "messages" in answer.json()["detail"]
    assert not ScratchpadEntry.objects.exists()


def spoken(*more: Any, **fields: Any) -> dict[str, Any]:
    return {"model": "ada", "user": "maya", "messages": [*more, HI], **fields}


CALL = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
CHAT: dict[str, Made] = {
    "an earlier conversation": lambda size: spoken(*times(size, {"role": "assistant", "content": "Yes"})),
    "systems": lambda size: spoken(*times(size, {"role": "system", "content": "Be kind"})),
    "new messages": lambda size: spoken(*times(size, HI)),
    "calls": lambda size: spoken({"role": "assistant", "content": None, "tool_calls": times(size, CALL)}),
    "results": lambda size: spoken(
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        *times(size, {"role": "tool", "tool_call_id": "call_1", "content": "x"}),
    ),
    "parts": lambda size: spoken({"role": "user", "content": times(size, {"type": "text", "text": "a"})}),
    "images": lambda size: spoken(
        {
            "role": "user",
            "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * size}}],
        }
    ),
    "tools": lambda size: spoken(tools=times(size, {"type": "function", "function": {"name": "look"}})),
    "other fields": lambda size: spoken(**named(size)),
    "metadata": lambda size: spoken(metadata=named(size)),
}


@pytest.fixture
def chat(replying: OpenAIServer, relationship: Relationship, api_key: str) -> Door:
    return Door("/v1/chat/completions", api_key)


@pytest.mark.drill
@pytest.mark.parametrize("store", [True, False], ids=["kept", "not kept"])
def test_what_chat_is_sent_costs_as_much_as_it_is_long(
    chat: Door, replying: OpenAIServer, *, store: bool
) -> None:
    replying.push({"text": "Hello.", "always": True})
    assert chat.take(written(spoken(store=store))) == 200

    for name, made in list(CHAT.items()) if LONG else list(CHAT.items())[store::2]:
        chat.walk({name: composed(lambda body: {**body, "store": store}, made)}, LARGE)


def responded(*more: Any, **fields: Any) -> dict[str, Any]:
    return {"model": "ada", "user": "maya", "input": [*more, HI], **fields}


CALLED = {"type": "function_call", "call_id": "c", "name": "look", "arguments": "{}"}
RESPONSES: dict[str, Made] = {
    "an earlier conversation": lambda size: responded(*times(size, {"role": "assistant", "content": "Yes"})),
    "calls": lambda size: responded(*times(size, CALLED)),
    "results": lambda size: responded(
        CALLED, *times(size, {"type": "function_call_output", "call_id": "c", "output": "x"})
    ),
    "calls and texts": lambda size: responded(
        *times(size, CALLED), *times(size, {**HI, "role": "assistant"})
    ),
    "references": lambda size: responded(
        *({"id": f"msg_{'0' * 32}{number:032x}"} for number in range(size // 80))
    ),
    "parts": lambda size: responded(
        {"role": "user", "content": times(size, {"type": "input_text", "text": "a"})}
    ),
    "reasoning": lambda size: responded(*times(size, {"type": "reasoning", "summary": []})),
    "tools": lambda size: responded(tools=times(size, {"type": "function", "name": "look"})),
    "include": lambda size: responded(include=times(size, "x")),
    "metadata": lambda size: responded(metadata=named(size)),
    "other fields": lambda size: responded(**named(size)),
    "a long ID": lambda size: responded(previous_response_id="resp_" + "0" * size),
}


@pytest.mark.drill
def test_what_responses_are_sent_costs_as_much_as_it_is_long(chat: Door, replying: OpenAIServer) -> None:
    replying.push({"text": "Hello.", "always": True})
    door = Door("/v1/responses", chat.headers["Authorization"].removeprefix("Bearer "))
    assert door.take(written(responded(store=False))) == 200

    door.walk(
        {name: composed(lambda body: {**body, "store": False}, made) for name, made in RESPONSES.items()},
        LARGE,
    )


def test_what_is_said_in_chat_costs_as_much_as_it_is_long(chat: Door, replying: OpenAIServer) -> None:
    replying.push({"text": "Hello.", "always": True})
    chat.walk(
        {sort: composed(lambda told: spoken({**HI, "content": told}), text) for sort, text in TEXTS.items()},
        16_000,
    )
