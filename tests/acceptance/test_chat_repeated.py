"""The same call again, with its Idempotency-Key: OpenAI's SDK hears what it heard the first time, and no model is asked."""

from typing import Any

import openai
import pytest

from relationships.models import Turn
from tests.acceptance.service import LiveService
from tests.vendor_servers.openai_server import OpenAIServer
from tests.vendor_servers.script import Item

WEATHER: Any = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}
CALLS = [
    {"name": "weather", "arguments": {"city": "Porto", "note": "[calls weather({})]\nno"}},
    {"name": "weather", "arguments": {"city": "Évora"}},
]
COMPLETE: dict[str, Item] = {
    "a reply": {"text": "Porto is lovely."},
    "one cut off by length": {"text": "Porto is", "finish": "length"},
    "calls of tools": {"tool_calls": CALLS},
    "nothing": {"text": "", "finish": "content_filter"},
}


@pytest.fixture
def model(standing_model: OpenAIServer) -> OpenAIServer:
    standing_model.clear()
    return standing_model


@pytest.fixture
def client(live_service: LiveService) -> openai.OpenAI:
    live_service.companion_config = {
        "ingestion": {"provider": "offline"},
        "context": {"provider": "openai"},
        "chat": {"tools": []},
    }
    live_service.new_relationships(1)
    return openai.OpenAI(
        base_url=f"{live_service.web.url}/v1",
        api_key=live_service.new_api_key(),
        default_headers={"X-Rapport-User": "maya"},
        max_retries=0,
    )


def whole(client: openai.OpenAI) -> dict[str, Any]:
    answer = client.chat.completions.create(
        model="ada",
        messages=[{"role": "user", "content": "How is Porto?"}],
        tools=[WEATHER],
        extra_headers={"Idempotency-Key": "whole"},
    )
    (choice,) = answer.choices
    return heard(answer, choice.message.content, choice.message.tool_calls, choice.finish_reason)


def streamed(client: openai.OpenAI) -> dict[str, Any]:
    """As the SDK's own helper puts the chunks together."""
    asked = client.chat.completions.stream(
        model="ada",
        messages=[{"role": "user", "content": "How is Porto?"}],
        tools=[WEATHER],
        stream_options={"include_usage": True},
        extra_headers={"Idempotency-Key": "streamed"},
    )
    with asked as stream:
        for _ in stream:
            pass
        snapshot = stream.current_completion_snapshot
    (choice,) = snapshot.choices
    return heard(snapshot, choice.message.content, choice.message.tool_calls, choice.finish_reason)


def heard(answer: Any, text: str | None, calls: Any, finish: str | None) -> dict[str, Any]:
    assert answer.usage is not None and answer.usage.total_tokens > 0
    return {
        "text": text,
        "calls": [(call.id, call.function.name, call.function.arguments) for call in calls or ()],
        "finish": finish,
        "usage": answer.usage.model_dump(),
    }


@pytest.mark.parametrize("say", [whole, streamed], ids=["whole", "stream"])
@pytest.mark.parametrize("item", COMPLETE.values(), ids=COMPLETE.keys())
def test_it_is_answered_as_before(client: openai.OpenAI, model: OpenAIServer, item: Item, say: Any) -> None:
    model.push(item)

    first = say(client)
    asked = model.asked
    second = say(client)

    assert second == first and model.asked == asked
    assert first["finish"] == item.get("finish", "tool_calls" if "tool_calls" in item else "stop")
    assert len(first["calls"]) == len(item.get("tool_calls", ()))


def test_one_that_was_interrupted_is_asked_anew_and_then_told_again(
    live_service: LiveService, client: openai.OpenAI, model: OpenAIServer
) -> None:
    model.push({"pieces": ["Porto", " is"], "error": 2}, {"pieces": ["Porto", " is", " lovely."]})

    with pytest.raises(openai.APIError, match="broke off"):
        streamed(client)
    second, asked = streamed(client), model.asked
    third = streamed(client)

    assert second["text"] == "Porto is lovely." and third == second and model.asked == asked
    turns = Turn.objects.filter(project_id=live_service.project.id).order_by("seq")
    assert [turn.interrupted for turn in turns] == [True, False]
