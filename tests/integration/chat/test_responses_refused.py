"""OpenAI's Responses protocol: what is not kept, refused, or breaks off, and what belongs to others."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from chat.responses.ids import ReplyId, reply_of
from relationships.models import Turn
from tests.fixtures.api import Api
from tests.fixtures.chat import stored, turns
from tests.fixtures.responses import WEATHER, Responses
from tests.vendor_servers.openai_server import OpenAIServer


def test_with_store_false_nothing_is_kept_and_nothing_can_follow(
    responses: Responses, replying: OpenAIServer
) -> None:
    response = responses.ask("I like rice.", store=False)

    assert not stored() and response.output_text
    refused = responses.send("What do I like?", previous_response_id=response.id)
    assert refused.status == 404 and "store: false" in refused.body["error"]["message"]


@pytest.mark.parametrize(
    ("finish", "why"), [("length", "max_output_tokens"), ("content_filter", "content_filter")]
)
def test_a_reply_that_was_cut_off_is_incomplete(
    responses: Responses, replying: OpenAIServer, finish: str, why: str
) -> None:
    replying.push({"text": "Rice with", "finish": finish, "repeat": 2})

    whole, last = responses.ask("Hi!"), responses.stream("Hello!")[-1]

    assert (whole.status, whole.incomplete_details and whole.incomplete_details.reason) == ("incomplete", why)
    assert last["type"] == "response.incomplete" and last["response"]["incomplete_details"] == {"reason": why}


def test_a_refusal_is_a_part_of_its_own(responses: Responses, replying: OpenAIServer) -> None:
    replying.push({"refusal": "I can't help with that.", "repeat": 2})

    whole, events = responses.ask("Hi!"), responses.stream("Hello!")

    parts = [whole.output[0].model_dump()["content"], events[-1]["response"]["output"][0]["content"]]
    assert [[part["type"] for part in one] for one in parts] == [["refusal"], ["refusal"]]
    assert "".join(event["delta"] for event in events if event["type"] == "response.refusal.delta") == (
        "I can't help with that."
    )


def test_a_stream_that_breaks_off_ends_with_an_error_and_is_kept(
    responses: Responses, replying: OpenAIServer, api: Api
) -> None:
    replying.push({"pieces": ["One", " two"], "error": 2})

    events = responses.stream("I like tea.")

    assert (
        events[-1]["type"] == "error"
        and events[-1]["error"]["code"] == events[-1]["code"] == "upstream_failed"
    )
    assert turns()[0].interrupted and stored()[-1] == ("assistant", "One")
    begun = events[0]["response"]["id"]
    assert reply_of(begun) == ReplyId(turns()[0].relationship_id, turns()[0].id)
    again = api.get(f"/responses/{begun}").body
    assert (again["status"], again["output"][0]["content"][0]["text"]) == ("incomplete", "One")


WRONG: dict[str, tuple[Any, dict[str, Any], str]] = {
    "no input": ([], {}, "input"),
    "an empty text": ("", {}, "input"),
    "another kind": ([{"type": "web_search_call", "id": "ws_1"}], {}, "input.0.type"),
    "another role": ([{"role": "robot", "content": "Hi"}], {}, "input.0.role"),
    "no content": ([{"role": "user"}], {}, "input.0.content"),
    "another part": ([{"role": "user", "content": [{"type": "video"}]}], {}, "input.0.content.0"),
    "a part of no kind": ([{"role": "user", "content": [{"type": []}]}], {}, "input.0.content.0"),
    "a file kept elsewhere": (
        [{"role": "user", "content": [{"type": "input_image", "file_id": "file-1"}]}], {}, "input.0.content.0.image_url",
    ),
    "nothing said": ([{"role": "assistant", "content": "Hi"}], {}, "input"),
    "a prompt alone": ([{"role": "developer", "content": "Hi"}], {}, "input"),
    "a call alone": (
        [
            {"type": "function_call", "call_id": "c", "name": "weather", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c", "output": "x"},
        ],
        {},
        "input",
    ),
    "a result of nothing": ([{"type": "function_call_output", "call_id": "c", "output": "x"}], {}, "input.0.call_id"),
    "an unknown item": ([{"type": "item_reference", "id": "msg_1"}], {}, "input.0.id"),
    "a NUL": ("a\x00b", {}, "input"),
    "another tool": ("Hi", {"tools": [{"type": "web_search"}]}, "tools.0.type"),
    "a tool without a name": ("Hi", {"tools": [{"type": "function"}]}, "tools.0.name"),
    "a choice of no tool": ("Hi", {"tool_choice": "required"}, "tool_choice"),
    "a choice of another": ("Hi", {"tools": [WEATHER], "tool_choice": {"type": "function", "name": "x"}}, "tool_choice"),
    "in the background": ("Hi", {"background": True}, "background"),
    "a stored prompt": ("Hi", {"prompt": {"id": "pmpt_1"}}, "prompt"),
    "another format": ("Hi", {"text": {"format": {"type": "xml"}}}, "text.format"),
    "no ID": ("Hi", {"previous_response_id": "resp_1"}, "previous_response_id"),
    "both": ("Hi", {"previous_response_id": "resp_1", "conversation": "a"}, "conversation"),
    "nobody": ("Hi", {"user": None}, "user"),
}  # fmt: skip


@pytest.mark.parametrize(("said", "fields", "named"), WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_named_by_its_field_in_openais_format(
    responses: Responses, replying: OpenAIServer, said: Any, fields: dict[str, Any], named: str
) -> None:
    answer = responses.send(said, **fields)

    assert (answer.status, answer.body["error"]["param"]) == (400, named), answer
    assert replying.asked == 0 and not stored()


def test_nobody_follows_or_reads_anothers_response(
    responses: Responses, replying: OpenAIServer, api: Api, other_project_api: Api
) -> None:
    """Neither another project, nor another person by their token, nor another person of the project by name."""
    response = responses.ask("I like rice.")
    luis = responses.ask("I like beans.", user="luis")
    known = reply_of(luis.id)
    assert known
    made = api.post(f"/relationships/{known.relationship_id}/tokens", {"scopes": ["read", "write"]})
    token = Api(made.body["token"])
    asked = {"model": "ada", "input": "What do I like?", "previous_response_id": response.id}

    for reader in (other_project_api, token):
        assert reader.get(f"/responses/{response.id}").status == 404
        assert reader.post("/responses", asked).status == 404
    assert responses.send("What do I like?", user="luis", previous_response_id=response.id).status == 404
    item = {"id": response.output[0].id}
    stolen = responses.send([item, {"role": "user", "content": "What?"}], user="luis")
    assert stolen.status == 400 and stolen.body["error"]["param"] == "input.0.id"
    made_up = ReplyId(UUID(int=1), uuid4()).response
    assert api.get(f"/responses/{made_up}").status == 404
    assert token.get(f"/responses/{luis.id}").status == 200
    for prompt in ({"instructions": "Obey."}, {"input": [{"role": "developer", "content": "Obey."}]}):
        assert token.post("/responses", {"model": "ada", "input": "Hi", **prompt}).status == 403
    assert Turn.objects.count() == 2
