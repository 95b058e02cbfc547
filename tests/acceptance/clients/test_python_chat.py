"""Chat by the Python client: the real service, which asks a model's server on this machine."""

import asyncio
import json
from typing import Any

import pytest
from rapport_client import AsyncRapport, Invalid, Rapport, Reply, StreamBroken

from tests.acceptance.clients.conftest import Door
from tests.vendor_servers.openai_server import OpenAIServer
from tests.waiting import wait_until

WEATHER: Any = {
    "type": "function",
    "function": {
        "name": "weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}


@pytest.fixture
def model(standing_model: OpenAIServer, rapport: Rapport) -> OpenAIServer:
    """What the companion `cook` asks for a reply."""
    standing_model.clear()
    config: Any = {"context": {"provider": "openai"}, "chat": {"tools": []}}
    rapport.companions_create(slug="cook", name="Ada", config=config)
    return standing_model


def test_a_reply_comes_as_it_is_written_knows_the_person_and_is_kept(
    rapport: Rapport, model: OpenAIServer
) -> None:
    maya = rapport.relationship(companion="cook", user="maya")
    maya.add("Is allergic to peanuts.")
    model.push({"pieces": ["Rice ", "with ", "greens."]})
    reply = Reply()

    pieces = rapport.chat.stream("cook", "What can I cook?", user="maya", session="phone", into=reply)

    assert "".join(pieces) == reply.text == "Rice with greens."
    assert (reply.done, reply.finish_reason) == (True, "stop")
    assert reply.usage and reply.usage["total_tokens"] > 0
    assert "peanuts" in model.requests[-1].body["messages"][0]["content"]
    shown = rapport.contexts_read(maya.id, reply.rapport["context_id"])
    assert shown["id"] == reply.rapport["context_id"]
    turn = rapport.wait(maya.id, reply.rapport["turn_id"])
    assert turn["session"] == "phone"
    said = {message["content"] for message in rapport.items(rapport.messages_list, maya.id)}
    assert said == {"What can I cook?", "Rice with greens."}


def test_a_refusal_is_read_like_a_reply(rapport: Rapport, model: OpenAIServer) -> None:
    model.push({"refusal": "I can't help with that."})

    assert "".join(rapport.chat.stream("cook", "Who am I?", user="eve")) == "I can't help with that."


def test_its_pieces_come_before_it_is_whole_and_who_leaves_has_what_was_told_kept(
    door: Door, rapport: Rapport, model: OpenAIServer
) -> None:
    words = [f"word{number} " for number in range(200)]
    model.push({"pieces": words, "pause": 0.05})
    tom = rapport.relationship(companion="cook", user="tom")

    async def two_pieces() -> tuple[str, str]:
        async with AsyncRapport(door.url, door.key) as client:
            pieces = client.chat.stream("cook", "Count.", user="tom")
            told = await anext(pieces) + await anext(pieces)
            await pieces.aclose()
            kept = await asyncio.to_thread(
                wait_until, lambda: rapport.messages_list(tom.id)["items"], what="the turn"
            )
            return told, kept[0]["content"]

    told, kept = asyncio.run(two_pieces())
    assert "".join(words).startswith(told)
    assert kept.startswith(told.strip())
    assert kept != "".join(words).strip()


def test_a_reply_whose_model_breaks_off_is_an_error_behind_what_was_told(
    rapport: Rapport, model: OpenAIServer
) -> None:
    model.push({"pieces": ["Rice ", "with "], "error": 2})
    reply = Reply()
    with pytest.raises(StreamBroken, match="broke off"):
        list(rapport.chat.stream("cook", "What can I cook?", user="maya", into=reply))
    assert (reply.text, reply.done) == ("Rice ", False)


def test_a_call_of_ones_own_tool_comes_whole_and_its_result_goes_on(
    rapport: Rapport, model: OpenAIServer
) -> None:
    cities = ("Porto", "Faro")
    model.push({"tool_calls": [{"name": "weather", "arguments": {"city": city}} for city in cities]})
    model.push({"pieces": ["Rain."]})
    said: list[dict[str, Any]] = [{"role": "user", "content": "How is the weather?"}]
    reply, last = Reply(), Reply()

    told = list(rapport.chat.stream("cook", said, user="maya", into=reply, tools=[WEATHER]))

    assert (told, reply.finish_reason) == ([], "tool_calls")
    assert [json.loads(call["function"]["arguments"])["city"] for call in reply.tool_calls] == list(cities)
    assert {call["function"]["name"] for call in reply.tool_calls} == {"weather"}
    results = [{"role": "tool", "tool_call_id": call["id"], "content": "Rain."} for call in reply.tool_calls]
    calling = {"role": "assistant", "content": None, "tool_calls": reply.tool_calls}
    said += [calling, *results]
    assert "".join(rapport.chat.stream("cook", said, user="maya", into=last, tools=[WEATHER])) == "Rain."
    assert model.requests[-1].body["messages"][-3]["tool_calls"] == reply.tool_calls


def test_a_token_talks_as_its_own_person_and_a_key_has_to_say_for_whom(
    door: Door, rapport: Rapport, model: OpenAIServer
) -> None:
    maya = rapport.relationship(companion="cook", user="maya")
    token = rapport.tokens_create(maya.id, scopes=["write"])["token"]
    model.push({"text": "Rice."})
    with Rapport(door.url, token) as browser:
        answer = browser.chat.complete("cook", "What can I cook?")
    assert answer["choices"][0]["message"]["content"] == "Rice."
    said = {message["content"] for message in rapport.items(rapport.messages_list, maya.id)}
    assert said == {"What can I cook?", "Rice."}
    with pytest.raises(Invalid):
        list(rapport.chat.stream("cook", "What can I cook?"))
