"""The same call twice is one turn, however it comes about."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from relationships.models import Message, Relationship, Turn
from tests.fixtures.api import Api, ApiAnswer

HELLO = {"messages": [{"role": "user", "content": "I moved to Lisbon."}]}
OTHER = {"messages": [{"role": "user", "content": "I moved to Porto."}]}


@pytest.fixture
def path(relationship: Relationship) -> str:
    return f"/relationships/{relationship.id}/turns"


def test_the_same_call_again_answers_with_the_turn_it_made(api: Api, path: str) -> None:
    first = api.post(path, HELLO, idempotency_key="one")
    again = api.post(path, HELLO, idempotency_key="one")

    assert (first.status, again.status) == (202, 202)
    assert again.body == first.body
    assert Turn.objects.count() == Message.objects.count() == 1
    assert Relationship.objects.get().last_seq == 2


def test_the_same_key_with_another_body_is_refused(api: Api, path: str) -> None:
    api.post(path, HELLO, idempotency_key="one")

    refused = api.post(path, OTHER, idempotency_key="one")

    assert (refused.status, refused.body["type"]) == (422, "urn:rapport:problem:idempotency_mismatch")
    assert Turn.objects.count() == 1
    assert Relationship.objects.get().last_seq == 2


def test_another_key_is_another_turn(api: Api, path: str) -> None:
    ids = {api.post(path, HELLO, idempotency_key=key).body["id"] for key in ("one", "two", "One", " one")}

    assert len(ids) == 4
    assert api.post(path, HELLO).body["id"] not in ids


def test_a_key_belongs_to_its_relationship_and_to_what_it_made(
    api: Api, path: str, relationship: Relationship
) -> None:
    other = api.post("/relationships", {"companion": "ada", "user": "noor"}).body["id"]
    entry = {"content": "Likes tea", "type": "preference"}

    mine = api.post(path, HELLO, idempotency_key="one").body
    hers = api.post(f"/relationships/{other}/turns", HELLO, idempotency_key="one").body
    made = api.post(f"/relationships/{relationship.id}/entries", entry, idempotency_key="one")

    assert mine["id"] != hers["id"]
    assert made.status == 201


def test_a_call_that_failed_uses_no_key_up(api: Api, path: str) -> None:
    assert api.post(path, {"messages": []}, idempotency_key="one").status == 422

    assert api.post(path, HELLO, idempotency_key="one").status == 202


@pytest.mark.django_db(transaction=True)
def test_of_eight_calls_at_once_with_one_key_one_makes_the_turn(api: Api, path: str) -> None:
    def ask(_: int) -> ApiAnswer:
        try:
            return Api(api.key).post(path, HELLO, idempotency_key="one")
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, range(8)))

    assert [answer.status for answer in answers] == [202] * 8
    assert len({answer.body["id"] for answer in answers}) == 1
    assert Turn.objects.count() == Message.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_eight_different_turns_at_once_all_are_kept_in_one_order(api: Api, path: str) -> None:
    def ask(number: int) -> ApiAnswer:
        try:
            return Api(api.key).post(path, {"messages": [{"role": "user", "content": f"Turn {number}"}]})
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, range(8)))

    assert sorted(answer.body["seq"] for answer in answers) == list(range(1, 17, 2))
    assert Message.objects.count() == 8
