"""Calls whose words must not be kept, and what a model may do with memory amid one."""

from typing import Any

import pytest

from behaviours.models import BehaviourRun
from chat.models import ToolCall
from chat.tools.definitions import TOOLS
from memory.models import MendingPlan, ScratchpadEntry
from relationships.models import Companion, Relationship
from tests.fixtures.chat import Chat, stored
from tests.vendor_servers.openai_server import OpenAIServer

WRITES: list[dict[str, Any]] = [
    {"name": "memory_add", "arguments": {"content": "Lives in Faro."}},
    {"name": "core_memory_append", "arguments": {"label": "human", "content": "Lives in Faro."}},
    {"name": "memory_forget", "arguments": {"query": "Faro"}},
]


@pytest.fixture
def noting(companion: Companion, replying: OpenAIServer) -> OpenAIServer:
    """A model with all memory tools, which notes down what it hears."""
    companion.config["chat"] = {"tools": [*TOOLS]}
    companion.save()
    replying.push({"tool_calls": WRITES}, {"text": "I won't tell."})
    return replying


def offered(server: OpenAIServer) -> set[str]:
    return {tool["function"]["name"] for tool in server.requests[0].body["tools"]}


def test_a_model_can_not_note_down_what_must_not_be_kept(chat: Chat, noting: OpenAIServer) -> None:
    answer = chat.say("I live in Faro.", store=False)

    assert answer.body["choices"][0]["message"]["content"] == "I won't tell."
    assert offered(noting) == {"memory_search", "archival_memory_search", "conversation_search"}
    assert stored() == [] and not ScratchpadEntry.objects.exists()
    assert not MendingPlan.objects.exists() and not ToolCall.objects.exists()


def test_in_a_pause_it_can_only_read_and_forget(
    chat: Chat, noting: OpenAIServer, relationship: Relationship
) -> None:
    relationship.user.ingestion_paused = True
    relationship.user.save()

    chat.say("I live in Faro.")

    assert offered(noting) == set(TOOLS) - {"memory_add", "core_memory_append", "core_memory_replace"}
    assert not ScratchpadEntry.objects.exists()
    for call in WRITES[:2]:
        answer = chat.api.post(f"/relationships/{relationship.id}/tools/{call['name']}", call["arguments"])
        assert "paused" in answer.body["error"]
    assert stored() == [("user", "I live in Faro."), ("assistant", "I won't tell.")]


def test_a_behaviour_fires_without_a_row_that_quotes_it(
    chat: Chat, replying: OpenAIServer, companion: Companion
) -> None:
    companion.config["behaviours"] = {"named": {"repeat": {"text": "They say: {{ message }}"}}}
    companion.save()

    chat.say("I live in Faro.", store=False)

    assert "They say: I live in Faro." in replying.requests[0].body["messages"][0]["content"]
    assert not BehaviourRun.objects.exists()
