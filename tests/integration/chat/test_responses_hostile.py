"""OpenAI's Responses protocol: what is sent to deceive, to overload, or by mistake."""

import json
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from chat.responses.earlier import MOST_REFERENCES
from chat.responses.ids import ReplyId, reply_of
from relationships.ids import uuid7
from relationships.models import Companion, Message, MessageRole
from relationships.services.hiding import hide_messages
from tests.fixtures.api import Api
from tests.fixtures.chat import stored, turns
from tests.fixtures.responses import WEATHER, Responses
from tests.integration.chat.test_responses import CALL, sent
from tests.vendor_servers.openai_server import OpenAIServer

HI = {"role": "user", "content": "Hi"}


def hide(*roles: str) -> None:
    rows = Message.objects.filter(role__in=roles)
    turn = turns()[0]
    hide_messages(
        relationship_id=turn.relationship_id,
        message_ids=list(rows.values_list("id", flat=True)),
        now=turn.recorded_at,
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("messages", [{"role": "system", "content": "Obey."}]),
        ("functions", [{"name": "look"}]),
        ("function_call", "auto"),
        ("n", 2),
        ("modalities", ["audio"]),
    ],
)
def test_fields_of_chat_completions_do_not_reach_the_model(
    responses: Responses, replying: OpenAIServer, name: str, value: Any
) -> None:
    """`messages` would be put in place of the context and of what the person said."""
    answer = responses.send("Hi", **{name: value})

    assert (answer.status, answer.body["error"]["param"]) == (400, name), answer
    assert replying.asked == 0


def test_a_call_sent_again_by_the_id_of_a_text_is_taken_as_it_is_sent(
    responses: Responses, replying: OpenAIServer
) -> None:
    first = responses.ask("Hi")
    call = {
        "type": "function_call",
        "id": first.output[0].id,
        "call_id": "c",
        "name": "weather",
        "arguments": "{}",
    }
    result = {"type": "function_call_output", "call_id": "c", "output": "sunny"}

    responses.ask([HI, call, result], tools=[WEATHER])

    (made,) = [one["tool_calls"] for one in sent(replying) if one.get("tool_calls")]
    assert made[0]["function"]["name"] == "weather"


def test_an_item_is_referred_to_once(responses: Responses, replying: OpenAIServer) -> None:
    """A long reply, named a hundred thousand times, would make a request of gigabytes."""
    item = {"id": responses.ask("Hi").output[0].id}

    refused = responses.send([item, HI, item])

    assert refused.status == 400 and refused.body["error"]["param"] == "input.2.id"


def test_references_are_limited_and_take_as_many_statements_as_one(
    responses: Responses, replying: OpenAIServer
) -> None:
    first = responses.ask("Hi")
    known = reply_of(first.id)
    assert known

    def references(count: int) -> list[dict[str, Any]]:
        others = (ReplyId(known.relationship_id, uuid7()).message for _ in range(count - 1))
        return [{"id": first.output[0].id}, *({"id": other} for other in others), HI]

    counts = []
    for count in (2, MOST_REFERENCES):
        with CaptureQueriesContext(connection) as queries:
            assert responses.send(references(count)).body["error"]["param"] == "input.1.id"
        counts.append(len(queries))
    assert counts[0] == counts[1]
    with CaptureQueriesContext(connection) as queries:
        refused = responses.send(references(100_000))
    assert (refused.status, refused.body["error"]["param"]) == (400, "input")
    assert max(len(one["sql"] or "") for one in queries) < 10_000


def test_no_more_is_referred_to_than_may_be_sent(
    responses: Responses, replying: OpenAIServer, settings: Any
) -> None:
    replying.push({"text": "a" * 900}, {"text": "b" * 900}, {"text": "Yes."})
    items = [{"id": responses.ask(said).output[0].id} for said in ("One", "Two")]
    assert responses.send([HI, items[0], HI]).status == 200
    settings.MAX_CHAT_BYTES = 1500

    refused = responses.send([*items, HI])

    assert refused.status == 400 and "too long" in refused.body["error"]["message"]


def test_a_conversation_may_refer_to_what_was_hidden_since(
    responses: Responses, replying: OpenAIServer
) -> None:
    """Clients go on to refer to it in every call."""
    replying.push(CALL, {"text": "Sunny."}, {"text": "Yes."})
    first = responses.ask("How is the weather?", tools=[WEATHER])
    call: Any = first.output[0]
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "sunny"}
    second = responses.ask([result], tools=[WEATHER], previous_response_id=first.id)
    hide(MessageRole.ASSISTANT)

    responses.ask([HI, {"id": call.id}, result, {"id": second.output[0].id}, {**HI, "content": "Really?"}])

    said = [(one["role"], one["content"]) for one in sent(replying)]
    assert said == [("user", "Hi"), ("assistant", "[This reply was removed.]"), ("user", "Really?")]
    assert stored()[-2:] == [("user", "Really?"), ("assistant", "Yes.")] and ("user", "Hi") not in stored()


def test_the_person_may_go_on_without_a_result(responses: Responses, replying: OpenAIServer) -> None:
    """Models refuse a call that is not answered."""
    replying.push(CALL, {"text": "Yes."})
    first = responses.ask("How is the weather?", tools=[WEATHER])

    responses.ask("Never mind.", tools=[WEATHER], previous_response_id=first.id)

    assert not any(one.get("tool_calls") for one in sent(replying))
    assert sent(replying)[-1]["content"].endswith("Never mind.")


def test_the_end_of_a_stream_has_the_logprobs_too(responses: Responses, replying: OpenAIServer) -> None:
    replying.push({"text": "Rice"})

    events = responses.stream("Hi", include=["message.output_text.logprobs"])

    done = next(event for event in events if event["type"] == "response.output_text.done")
    told = events[-1]["response"]["output"][0]["content"][0]["logprobs"]
    assert [one["token"] for one in told] == [one["token"] for one in done["logprobs"]] == ["Rice"]


JUNK: list[Any] = [
    None, True, 0, -1, 1.5, 2**62, "", "x", "resp_1", [], {}, [[]], [{}], [None], {"a": None}, {"type": []},
    {"type": {}}, {"id": {}}, {"id": "x" * 100_000}, {"format": []}, {"format": {"type": []}}, {"effort": []}, {"session": 1},
    [{"type": "function", "name": {}}], [{"type": "message"}], [{"role": []}], [{"role": "user", "content": {}}],
    [{"role": "user", "content": [{"type": "input_text", "text": 1}]}],
    [{"role": "user", "content": [{"type": "input_image", "image_url": {}}]}],
    [{"role": "user", "content": [{"type": "input_audio", "input_audio": 1}]}],
    [{"type": "function_call"}], [{"type": "function_call", "id": [], "call_id": 1}], [{"type": "item_reference", "id": {}}],
    [{"type": "function_call_output", "call_id": []}], [{"type": "function_call_output", "call_id": "a", "output": {}}],
]  # fmt: skip
FIELDS = """model input instructions tools tool_choice stream user metadata conversation previous_response_id store text
reasoning max_output_tokens top_logprobs include background prompt rapport temperature parallel_tool_calls""".split()


@pytest.mark.parametrize("field", FIELDS)
def test_whatever_a_field_has_is_answered_or_refused_by_its_name(
    responses: Responses, replying: OpenAIServer, api: Api, field: str
) -> None:
    replying.push({"text": "Yes.", "always": True})
    for junk in JUNK:
        body = {"model": "ada", "user": "maya", "input": "Hi", "store": False, field: junk}
        answer = api.client.post(
            "/v1/responses",
            json.dumps(body),
            "application/json",
            headers={"Authorization": f"Bearer {api.key}"},
        )
        told = answer.getvalue()
        if answer.status_code == 400:
            named = json.loads(told)["error"]["param"]
            assert named and named.split(".")[0] == field, (junk, told)
        else:
            assert answer.status_code == 200 or (field, answer.status_code) == ("model", 404), (junk, told)
    assert stored() or field != "store"


OWN: list[Any] = [
    1, [], {"usage": 5}, {"usage": {}}, {"calls": 1}, {"calls": [1]}, {"calls": [{"id": "a", "name": "b", "length": "c"}]},
    {"calls": [{"id": "a", "name": "b", "length": 10_000_000_000}]}, {"calls": [{"id": "a", "name": "b", "length": -9}]},
    {"finish_reason": []}, {"refused": "x"}, {"refused": -1}, {"refused": 1000}, {"usage": {"prompt_tokens": "x"}},
]  # fmt: skip


@pytest.mark.parametrize("own", OWN, ids=map(str, OWN))
def test_a_turn_whose_own_metadata_looks_like_a_replys_is_read_without_it(
    responses: Responses, replying: OpenAIServer, api: Api, own: Any
) -> None:
    """Metadata of messages is the client's own."""
    responses.ask("Hi")
    known = ReplyId(turns()[0].relationship_id, uuid7())
    said = [HI, {"role": "assistant", "content": "Hello.", "metadata": {"rapport_reply": own}}]
    made = api.post(f"/relationships/{known.relationship_id}/turns", {"messages": said})
    reply = ReplyId(known.relationship_id, UUID(made.body["id"]))

    told = api.get(f"/responses/{reply.response}")

    assert (told.status, told.body["output"][0]["content"][0].get("text")) == (200, "Hello."), told
    assert responses.send([{"id": reply.message}, HI]).status == 200
    assert responses.send("Hi", previous_response_id=reply.response).status == 200


def test_what_was_read_before_the_reply_is_followed_too(
    responses: Responses, replying: OpenAIServer, companion: Companion
) -> None:
    """With the recipe `classifier` the person's message is a turn of its own, and the reply is another."""
    companion.refresh_from_db()
    companion.config["ingestion"] = {"provider": "offline", "strategy": "classifier"}
    companion.save()
    replying.push(CALL, {"text": "Sunny."})
    first = responses.ask("How is the weather?", tools=[WEATHER], rapport={"wait_for_memory": 0})
    call: Any = first.output[0]
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "sunny"}

    responses.ask([result], tools=[WEATHER], previous_response_id=first.id, rapport={"wait_for_memory": 0})

    assert len(turns()) > 2
    assert [one["role"] for one in sent(replying)] == ["user", "assistant", "tool"]
