"""What a search of documents refuses, and what it makes of a question without words."""

from typing import Any

import pytest

from relationships.models import Companion
from tests.fakes import ScriptedEmbedder
from tests.fixtures.api import Api
from tests.fixtures.documents import configure, learn


def path_of(companion: Companion) -> str:
    return f"/companions/{companion.id}/documents/search"


QUERIES: dict[str, tuple[Any, str]] = {
    "empty": ({"query": ""}, "query"),
    "white space": ({"query": " \n"}, "query"),
    "100 kB": ({"query": "a" * 100_000}, "query"),
    "top_k 0": ({"query": "a", "top_k": 0}, "top_k"),
    "top_k a million": ({"query": "a", "top_k": 1_000_000}, "top_k"),
    "min_score beyond one": ({"query": "a", "min_score": 2}, "min_score"),
    "an unknown name": ({"query": "a", "ranker": "best"}, "ranker"),
    "no query": ({}, "query"),
}


@pytest.mark.parametrize(("body", "field"), QUERIES.values(), ids=QUERIES)
def test_a_search_that_can_not_be_meant_is_refused(
    api: Api, companion: Companion, body: Any, field: str
) -> None:
    answer = api.post(path_of(companion), body)

    assert (answer.status, answer.fields) == (422, [field])


def test_a_search_for_nothing_but_signs_finds_nothing_by_text(api: Api, companion: Companion) -> None:
    configure(companion, embedder="none")
    learn(companion, "Refunds take five days.")

    answer = api.post(path_of(companion), {"query": "?!... 😀"})

    assert (answer.status, answer.body["items"], answer.body["considered"]) == (200, [], 1)


def test_a_hit_is_cited_and_its_score_explained_where_that_is_asked(
    api: Api, companion: Companion, scripted_embedder: ScriptedEmbedder
) -> None:
    document = learn(companion, "Refunds take five days.", "help.txt")

    answer = api.post(path_of(companion), {"query": "refunds"})

    (hit,) = answer.body["items"]
    assert (hit["document"], hit["citation"], hit["parts"]) == (str(document.id), "help.txt", None)
    assert answer.body["embedding_model"] == document.embedding_model != ""


def test_a_search_sees_the_companions_own_configuration(api: Api, companion: Companion) -> None:
    configure(companion, top_k=2, embedder="none")
    for number in range(4):
        learn(companion, f"Refunds take {number} days.")

    answer = api.post(path_of(companion), {"query": "refunds"})

    assert (len(answer.body["items"]), answer.body["considered"], answer.body["embedding_model"]) == (
        2,
        4,
        None,
    )
