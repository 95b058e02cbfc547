from typing import Any

import pytest
from django.conf import settings

from relationships.models import Companion, Relationship
from tests.fixtures.api import Api
from tests.fixtures.contexts import put, remember, say
from tests.wire import statements_sent


@pytest.fixture
def path(relationship: Relationship) -> str:
    return f"/relationships/{relationship.id}/context"


def test_the_context_holds_all_that_is_known(api: Api, relationship: Relationship, path: str) -> None:
    Companion.objects.update(config={"context": {"core_prompt": "You are {companion}."}})
    (entry,) = remember(relationship, "Prefers tea")
    put(relationship, "profile", {"tier": "gold"})
    put(relationship, "sessions", {"phone": {"page": 3}})
    say(relationship, "Hi", "Hello", session="phone")

    answer = api.post(path, {"message": "What now?", "session": "phone"})

    assert answer.status == 200
    assert answer.body["relationship"] == str(relationship.id)
    assert all(
        part in answer.body["system"] for part in ("You are Ada.", "- Prefers tea", "tier: gold", "page: 3")
    )
    assert [message["content"] for message in answer.body["messages"]] == ["Hi", "Hello", "What now?"]
    assert (answer.body["format"], answer.body["rendered"]) == (None, None)
    layers = {layer["name"]: layer for layer in answer.body["layers"]}
    assert layers["memory"]["sources"] == [str(entry.id)]
    assert answer.body["total_tokens"] == sum(layer["tokens"] for layer in layers.values())
    assert (answer.body["capacity"], answer.body["provenance"]) == (None, None)


def test_the_body_may_be_empty(api: Api, path: str) -> None:
    answer = api.post(path)

    assert (answer.status, answer.body["session"], answer.body["messages"]) == (200, "current", [])


@pytest.mark.parametrize(
    ("format", "parts"),
    [
        ("openai", {"messages"}),
        ("anthropic", {"system", "messages"}),
        ("gemini", {"systemInstruction", "contents"}),
    ],
)
def test_each_vendor_gets_its_own_shape(
    api: Api, relationship: Relationship, path: str, format: str, parts: set[str]
) -> None:
    remember(relationship, "Prefers tea")

    answer = api.post(path, {"message": "Hi", "format": format})

    assert answer.body["format"] == format
    assert set(answer.body["rendered"]) == parts
    assert "- Prefers tea" in str(answer.body["rendered"])


def test_explain_gives_reasons_and_levels(api: Api, relationship: Relationship, path: str) -> None:
    (entry,) = remember(relationship, "Prefers tea", pinned=True)

    answer = api.post(path, {"explain": True, "config": {"context": {"group_by_type": True}}})

    memory = next(layer for layer in answer.body["layers"] if layer["name"] == "memory")
    assert memory["reasons"] == {str(entry.id): "pinned"}
    assert answer.body["provenance"]["context.group_by_type"] == "turn"
    assert answer.body["provenance"]["context.order"] == "default"


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({"message": 5}, ["message"]),
        ({"message": " \n "}, ["message"]),
        ({"message": "é" * settings.MAX_MESSAGE_BYTES}, ["message"]),
        ({"message": "a\x00b"}, ["message"]),
        (b'{"message": "\\ud800"}', ["message"]),
        ({"session": "a/b"}, ["session"]),
        ({"session": "a\nb"}, ["session"]),
        ({"session": "x" * 201}, ["session"]),
        ({"config": "none"}, ["config"]),
        ({"config": {"context": {"order": ["nonsense"]}}}, ["config.context"]),
        ({"config": {"context": {"recent_messages": -1}}}, ["config.context.recent_messages"]),
        ({"config": {"weather": 1}}, ["config.weather"]),
        ({"format": "nonsense"}, ["format"]),
        ({"format": "os.path.join"}, ["format"]),
        ({"explain": 1}, ["explain"]),
        ({"query": "x"}, ["query"]),
    ],
)
def test_what_is_wrong_is_named(api: Api, path: str, body: Any, fields: list[str]) -> None:
    answer = api.post(path, body)

    assert (answer.status, answer.fields) == (422, fields)


@pytest.mark.parametrize("entries", [1, 100, 2_000])
def test_four_statements_are_enough_whatever_the_number_of_entries(
    api: Api, relationship: Relationship, path: str, entries: int
) -> None:
    remember(relationship, *[f"Likes dish number {place}" for place in range(entries)])
    api.post(path)  # once a minute the key's use is noted

    with statements_sent() as sent:
        answer = api.post(path, {"message": "What should I cook?"})

    memory = next(layer for layer in answer.body["layers"] if layer["name"] == "memory")
    left_out = memory["left_out"]["count"] if memory["left_out"] else 0
    assert len(memory["sources"]) + left_out == entries
    assert memory["tokens"] <= 4000
    assert len(sent) <= 4, sent


def test_a_request_writes_no_log(api: Api, path: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("DEBUG"):
        api.post(path, {"message": "Hi"})

    assert [
        record
        for record in caplog.records
        if record.name.startswith(("context", "memory", "knowledge", "providers", "worker"))
    ] == []
