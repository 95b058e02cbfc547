"""Memory tools: over REST, and called by a model amid a reply."""

from typing import Any

import pytest
from django.utils import timezone

from chat.models import ToolCall
from chat.tools.definitions import TOOLS
from memory.models import EntryRevision, ScratchpadEntry
from relationships.models import Companion, Turn
from tests.fixtures.api import Api, add_entry
from tests.fixtures.chat import stored


def call(api: Api, at: str, name: str, **arguments: Any) -> Any:
    answer = api.post(f"{at}/tools/{name}", arguments)
    assert answer.status == 200, answer
    return answer.body


def test_definitions_come_in_each_vendors_shape(api: Api) -> None:
    shapes = {
        format: api.get(f"/tools?format={format}").body["tools"]
        for format in ("openai", "anthropic", "gemini")
    }

    assert all(len(tools) == len(TOOLS) for tools in shapes.values())
    assert shapes["openai"][0]["function"]["parameters"]["required"] == ["query"]
    assert shapes["anthropic"][0]["input_schema"] == shapes["openai"][0]["function"]["parameters"]
    assert shapes["gemini"][0]["parametersJsonSchema"] == shapes["anthropic"][0]["input_schema"]


def test_search_finds_what_fits(api: Api, at: str) -> None:
    tea = add_entry(api, at, "Prefers green tea")
    add_entry(api, at, "Runs every Sunday")

    found = call(api, at, "memory_search", query="green tea", limit=1)

    assert [memory["id"] for memory in found["memories"]] == [tea]
    assert found["memories"][0] | {"score": 1} == {
        "id": tea,
        "content": "Prefers green tea",
        "category": "preference",
        "score": 1,
        "told": f"{timezone.now():%Y-%m-%d}",
    }
    assert ToolCall.objects.get().arguments == {"query": "green tea", "limit": 1}


def test_search_says_who_a_memory_is_about_and_when_it_happens(api: Api, at: str) -> None:
    values = {"type": "event", "content": "Moves to Porto", "subject": "Ana", "happens_at": "2027-03"}
    assert api.post(f"{at}/entries", values).status == 201

    [found] = call(api, at, "memory_search", query="Porto")["memories"]

    assert (found["about"], found["happens_at"]) == ("Ana", "2027-03")


def test_an_added_memory_is_read_like_a_turn(api: Api, at: str) -> None:
    answer = call(api, at, "memory_add", content="Prefers green tea", category="preference")

    turn = Turn.objects.get()
    assert answer["turn"] == str(turn.id) and turn.state == "pending"
    assert stored() == [("tool", "Prefers green tea")]
    assert ToolCall.objects.get().turn_id == turn.id


def test_forget_hides_what_matches_and_can_be_undone(api: Api, at: str) -> None:
    tea = add_entry(api, at, "Prefers green tea")
    car = add_entry(api, at, "Has a cat and drives a Volvo")
    add_entry(api, at, "Prefers green curtains")
    api.post(f"{at}/turns", {"messages": [{"role": "user", "content": "I like green tea best."}]})

    answer = call(api, at, "memory_forget", query="the green tea")
    part = call(api, at, "memory_forget", query="the Volvo")

    plan = answer.pop("plan")
    assert answer == {"success": True, "deleted": [{"id": tea, "content": "Prefers green tea"}]}
    assert part["deleted"] == [{"id": car, "content": "Has a cat and drives a Volvo", "rest": "Has a cat"}]
    assert ScratchpadEntry.objects.filter(state="active").count() == 2
    assert api.get(f"{at}/messages").body["items"] == []
    assert api.post(f"{at}/plans/{plan}/undo").status == 200
    assert ScratchpadEntry.objects.filter(state="active").count() == 3


def test_forget_without_a_match_hides_nothing_and_says_what_it_looked_at(api: Api, at: str) -> None:
    contents = ["Works as a baker in Lisbon", "Has a brother who works in Madrid", "Plays chess"]
    ids = [add_entry(api, at, content) for content in contents]

    for query in ("the job of their sister", "works in Berlin", "forget everything", "that"):
        answer = call(api, at, "memory_forget", query=query)
        assert (answer["success"], answer["error"]) == (False, "No matching memory found"), query
    looked_at = call(api, at, "memory_forget", query="works in Berlin")["looked_at"]
    assert {one["id"] for one in looked_at} == set(ids[:2])
    assert ScratchpadEntry.objects.filter(state="active").count() == 3


def test_forget_takes_no_more_at_once_than_a_reading_may(api: Api, at: str) -> None:
    for number in range(5):
        add_entry(api, at, f"Has a fish called Number{number}")
    answer = call(api, at, "memory_forget", query="the fish")
    assert answer == {
        "success": False,
        "error": "5 memories say this, too many at once: describe a part of them.",
    }
    assert ScratchpadEntry.objects.filter(state="active").count() == 5


@pytest.mark.parametrize("mark", ["pinned", "read_only"])
def test_forget_leaves_protected_entries_and_hides_nothing_instead(api: Api, at: str, mark: str) -> None:
    add_entry(api, at, "Prefers green tea", **{mark: True})
    add_entry(api, at, "Drank tea in Porto")

    answer = call(api, at, "memory_forget", query="prefers green tea")

    assert answer["success"] is False and "only a person" in answer["error"]
    assert ScratchpadEntry.objects.filter(state="active").count() == 2


def test_core_memory_is_appended_to_and_replaced(api: Api, at: str) -> None:
    call(api, at, "core_memory_append", label="human", content="Lives in Porto")
    again = call(api, at, "core_memory_append", label="human", content="Lives in Porto")
    replaced = call(api, at, "core_memory_replace", label="human", old_content="Porto", new_content="Braga")
    persona = call(api, at, "core_memory_replace", label="persona", old_content="Braga", new_content="Faro")
    deleted = call(
        api, at, "core_memory_replace", label="human", old_content="Lives in Braga", new_content=""
    )

    assert again["success"] is False
    assert replaced["stored"][0]["content"] == "Lives in Braga" and persona["success"] is False
    assert deleted["success"] is True
    assert list(EntryRevision.objects.order_by("seq").values_list("event", flat=True)) == [
        "add",
        "update",
        "delete",
    ]


def test_archival_and_conversation_search_page(api: Api, at: str) -> None:
    for number in range(7):
        add_entry(api, at, f"Read book number {number}", tier="archive")
        api.post(f"{at}/turns", {"messages": [{"role": "user", "content": f"I read book number {number}."}]})

    pages = [call(api, at, "archival_memory_search", query="book", page=page)["memories"] for page in (0, 1)]
    said = [call(api, at, "conversation_search", query="book", page=page)["messages"] for page in (0, 1)]

    assert [len(page) for page in pages] == [5, 2] and [len(page) for page in said] == [5, 2]
    assert said[0][0]["role"] == "user" and "said_at" in said[0][0]


BAD_CALLS: dict[str, tuple[str, dict[str, Any], int, str]] = {
    "no such tool": ("memory_steal", {}, 404, "memory_search"),
    "nothing given": ("memory_search", {}, 422, "query"),
    "an empty query": ("memory_forget", {"query": ""}, 422, "query"),
    "an unknown argument": ("memory_search", {"query": "x", "who": "y"}, 422, "who"),
    "an unknown category": ("memory_add", {"content": "x", "category": "y"}, 422, "category"),
}


@pytest.mark.parametrize(("name", "given", "status", "told"), BAD_CALLS.values(), ids=BAD_CALLS.keys())
def test_a_bad_call_is_refused_with_its_field(
    api: Api, at: str, name: str, given: dict[str, Any], status: int, told: str
) -> None:
    answer = api.post(f"{at}/tools/{name}", given)

    assert answer.status == status and told in str(answer.body)
    assert not ToolCall.objects.exists()


def test_a_type_that_the_companion_has_not_is_refused_with_those_it_has(
    api: Api, at: str, companion: Companion
) -> None:
    companion.config["ingestion"] = {"types": [{"name": "recipe", "examples": ["Bakes"]}, {"name": "guest"}]}
    companion.save()
    given = {"label": "human", "content": "Bakes bread"}

    refused = api.post(f"{at}/tools/core_memory_append", given)
    kept = call(api, at, "core_memory_append", **given, type="guest")

    assert refused.status == 422 and refused.fields == ["type"] and "recipe, guest" in str(refused.body)
    assert kept["success"] is True
    assert [entry.type for entry in ScratchpadEntry.objects.all()] == ["guest"]
