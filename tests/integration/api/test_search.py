"""The two searches over REST: what is found, what is asked wrongly, and whose rows never come."""

from typing import Any
from uuid import uuid4

import pytest

from memory.models import ScratchpadEntry
from memory.retrieval.questions import LONGEST_QUESTION
from relationships.models import Companion, Message, Relationship
from tests.fixtures.api import Api, add_entry

SAID = "I bought a blue kayak in Lisbon"


def say(api: Api, at: str, *contents: str, session: str = "phone") -> None:
    messages = [{"role": "user", "content": content} for content in contents]
    answer = api.post(f"{at}/turns", {"messages": messages, "session": session})
    assert answer.status == 202, answer


def found(api: Api, at: str, query: str, kind: str = "entries", **asked: Any) -> list[str]:
    answer = api.post(f"{at}/{kind}/search", {"query": query, **asked})
    assert answer.status == 200, answer
    return [item["content"] for item in answer.body["items"]]


def use(api: Api, companion: Companion, **retrieval: Any) -> None:
    answer = api.patch(f"/companions/{companion.id}/config", {"retrieval": retrieval})
    assert answer.status == 200, answer


def test_an_entry_is_found_by_some_of_the_questions_words_as_soon_as_it_is_written(api: Api, at: str) -> None:
    tea = add_entry(api, at, "Drinks green tea in the morning")
    add_entry(api, at, "Works as a nurse")

    answer = api.post(f"{at}/entries/search", {"query": "Which tea does she usually drink at home?"})

    assert [item["id"] for item in answer.body["items"]] == [tea]
    assert (answer.body["ranker"], answer.body["space"], answer.body["considered"]) == ("best", None, 2)
    assert answer.body["items"][0]["score"] == pytest.approx(1.0)
    assert (answer.body["items"][0]["parts"], answer.body["items"][0]["reason"]) == (None, None)


def test_explain_says_what_a_score_is_made_of(api: Api, at: str, companion: Companion) -> None:
    use(api, companion, embedder="offline")
    add_entry(api, at, "Drinks green tea", subject="Sofia")

    answer = api.post(
        f"{at}/entries/search", {"query": "What does Sofia drink? Drinks tea?", "explain": True}
    )

    [item] = answer.body["items"]
    assert sum(item["parts"].values()) == pytest.approx(item["score"])
    assert item["parts"]["named"] == pytest.approx(0.4)
    assert item["reason"].startswith("best 1.4: text 1, named 0.4")
    assert answer.body["milliseconds"] > 0


def test_what_filters_let_through_keeps_its_order(api: Api, at: str) -> None:
    add_entry(api, at, "Tea in the garden", type="preference", tags={"area": "food"})
    add_entry(api, at, "Tea", type="identity", tags={"area": "food", "by": "crm"})
    add_entry(api, at, "A tea house in the garden", type="preference", subject="Sofia")

    everything = found(api, at, "tea garden")

    assert len(everything) == 3
    for asked in (
        {"types": ["preference"]},
        {"tags": {"area": "food"}},
        {"tags": {"area": "food", "by": "crm"}},
        {"subject": "Sofia"},
        {"told_from": "2020-01-01T00:00:00Z"},
        {"tiers": ["scratchpad", "archive"]},
    ):
        some = found(api, at, "tea garden", **asked)
        assert some, asked
        assert some == [content for content in everything if content in some], asked
    assert found(api, at, "tea garden", told_to="2020-01-01T00:00:00Z") == []
    assert found(api, at, "tea garden", tiers=["archive"]) == []


def test_a_message_is_found_with_the_entries_that_rest_on_it(api: Api, at: str) -> None:
    say(api, at, "Good morning", SAID)
    say(api, at, "A kayak is heavy", session="web")
    message = Message.objects.get(content=SAID)
    entry = add_entry(api, at, "Owns a blue kayak")
    ScratchpadEntry.objects.filter(id=entry).update(source_message_ids=[message.id])

    answer = api.post(f"{at}/messages/search", {"query": "Where did I buy the blue kayak?", "explain": True})

    best = answer.body["items"][0]
    assert (best["content"], best["cited_by"]) == (SAID, [entry])
    assert "length" in best["parts"]
    assert found(api, at, "kayak", "messages", session="web") == ["A kayak is heavy"]
    assert found(api, at, "kayak", "messages", roles=["assistant"]) == []
    assert found(api, at, "kayak", "messages", top_k=1) == ["A kayak is heavy"]


def test_what_a_deleted_entry_rests_on_is_found_again_only_with_the_entry(api: Api, at: str) -> None:
    say(api, at, SAID)
    entry = add_entry(api, at, "Owns a blue kayak")
    cited = [Message.objects.get(content=SAID).id]
    ScratchpadEntry.objects.filter(id=entry).update(source_message_ids=cited)

    api.delete(f"{at}/entries/{entry}")
    assert found(api, at, "blue kayak", "messages") == []
    assert found(api, at, "blue kayak") == []

    api.post(f"{at}/entries/{entry}/restore")
    assert found(api, at, "blue kayak", "messages") == [SAID]


def test_what_was_said_during_a_pause_is_kept_but_found_only_when_it_is_read_after_all(
    api: Api, at: str, relationship: Relationship
) -> None:
    api.patch(f"/users/{relationship.user_id}", {"ingestion_paused": True})
    say(api, at, SAID)
    api.patch(f"/users/{relationship.user_id}", {"ingestion_paused": False})
    say(api, at, "A kayak is heavy")

    assert found(api, at, "blue kayak", "messages") == ["A kayak is heavy"]
    listed = api.get(f"{at}/messages").body["items"]
    assert {item["content"] for item in listed} == {SAID, "A kayak is heavy"}

    turn = Message.objects.get(content=SAID).turn_id
    api.post(f"{at}/turns/{turn}/retry")
    assert found(api, at, "blue kayak", "messages") == [SAID, "A kayak is heavy"]


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"query": ""}, "query"),
        ({"query": " \n "}, "query"),
        ({"query": "x" * (LONGEST_QUESTION + 1)}, "query"),
        ({"query": "tea " * 25_000}, "query"),
        ({"query": "tea\x00"}, "query"),
        ({}, "query"),
        ({"query": "tea", "top_k": 0}, "top_k"),
        ({"query": "tea", "top_k": 10**6}, "top_k"),
        ({"query": "tea", "top_k": 1.5}, "top_k"),
        ({"query": "tea", "ranker": "magic"}, "ranker"),
        ({"query": "tea", "ranker": "os.system"}, "ranker"),
        ({"query": "tea", "min_score": -1}, "min_score"),
        ({"query": "tea", "told_from": "yesterday"}, "told_from"),
        ({"query": "tea", "config": {"retrieval": {"ranker": "magic"}}}, "config.retrieval.ranker"),
        ({"query": "tea", "ranker": "cosine"}, "retrieval.embedder"),
        ({"query": "tea", "limit": 3}, "limit"),
    ],
)
@pytest.mark.parametrize("kind", ["entries", "messages"])
def test_a_wrong_question_is_refused_by_its_field(
    api: Api, at: str, kind: str, asked: dict[str, Any], field: str
) -> None:
    answer = api.post(f"{at}/{kind}/search", asked)

    assert (answer.status, answer.fields) == (422, [field]), answer


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("お茶が好きです", "お茶"),
        ("她喜欢喝绿茶", "绿茶吗"),
        ("ชอบชาเขียวมาก", "ชาเขียว"),
        ("Her favourite is 🦉", "🦉"),
        ("O'Brien's \\ 'quoted' | & ! : * tea", "'quoted' \\ | & ! :* ("),
    ],
)
def test_any_script_and_any_sign_can_be_asked_for(api: Api, at: str, written: str, asked: str) -> None:
    add_entry(api, at, written)
    add_entry(api, at, "Works as a nurse")

    assert found(api, at, asked) == [written]


@pytest.mark.parametrize("nothing", ["???", "... — !", "の", "\u200b."])
def test_a_question_without_a_word_that_is_known_finds_nothing(api: Api, at: str, nothing: str) -> None:
    add_entry(api, at, "Works as a nurse")

    assert found(api, at, nothing) == []


def test_a_token_searches_its_own_relationship_and_chooses_no_configuration(api: Api, at: str) -> None:
    add_entry(api, at, "Drinks tea")
    token = Api(api.post(f"{at}/tokens", {"scopes": ["read"], "expires_in": 600}).body["token"])

    assert found(token, at, "tea") == ["Drinks tea"]
    refused = token.post(f"{at}/entries/search", {"query": "tea", "config": {"retrieval": {"top_k": 3}}})
    assert refused.status == 403
    assert token.post(f"/relationships/{uuid4()}/entries/search", {"query": "tea"}).status == 404


def test_a_configuration_can_be_tried_for_one_search(api: Api, at: str) -> None:
    for number in range(4):
        add_entry(api, at, f"Tea number {number}")

    assert len(found(api, at, "tea", config={"retrieval": {"top_k": 2}})) == 2
    assert len(found(api, at, "tea")) == 4


@pytest.mark.parametrize("kind", ["entries", "messages"])
def test_a_reranked_search_says_so_and_explains_what_moved(api: Api, at: str, kind: str) -> None:
    said = ["A kayak", "A kayak, blue, with a rack for the car, from a shop in Lisbon"]
    for text in said:
        add_entry(api, at, text)
    say(api, at, *said)
    config = {"retrieval": {"reranker": "tests.plugins.rerankers.LongestFirst"}}

    plain = api.post(f"{at}/{kind}/search", {"query": "which kayak?", "explain": True})
    better = api.post(
        f"{at}/{kind}/search", {"query": "which kayak?", "explain": True, "config": config, "top_k": 1}
    )

    assert plain.body["reranker"] is None
    assert "reranking" not in plain.body["items"][0]["reason"]
    places = {item["content"]: place for place, item in enumerate(plain.body["items"], start=1)}
    assert [item["content"] for item in better.body["items"]] == [said[1]]
    assert better.body["reranker"] == config["retrieval"]["reranker"]
    assert better.body["items"][0]["reason"].endswith(f"; place {places[said[1]]} before reranking")


def test_an_unknown_reranker_is_refused_by_its_field(api: Api, at: str) -> None:
    answer = api.post(
        f"{at}/entries/search", {"query": "kayak", "config": {"retrieval": {"reranker": "magic"}}}
    )

    assert answer.status in (400, 422), answer
    assert "'magic' is not a known reranker; known: model, cross_encoder" in str(answer.body)


def test_a_name_is_found_without_its_accents(api: Api, at: str) -> None:
    add_entry(api, at, "Friend of Renée Müller")
    add_entry(api, at, "Knows a miller")
    assert found(api, at, "renee muller") == ["Friend of Renée Müller"]
