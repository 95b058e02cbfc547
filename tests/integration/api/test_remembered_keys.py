"""A key that a web process remembers opens nothing that its row does not: it is read again by every context and turn."""

from collections.abc import Iterator
from datetime import UTC, datetime
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from chat.responses.ids import ReplyId
from relationships.models import ApiKey, EndUser, Relationship, Turn
from relationships.services.projects import create_project
from tests.fixtures.api import TESTER, Api, ApiAnswer, new_key
from tests.wire import statements_sent
from web import authentication

BODIES = {
    "a context": {"message": "hello"},
    "one from the replica": {"message": "hello", "consistency": "eventual"},
    "an unknown field": {"mesage": "hello"},
    "an unknown format": {"message": "hello", "format": "telegram"},
}
TURN = {"messages": [{"role": "user", "content": "I like tea."}]}


@pytest.fixture(autouse=True)
def _nothing_remembered() -> Iterator[None]:
    authentication._REMEMBERED.clear()
    yield
    authentication._REMEMBERED.clear()


@pytest.fixture
def known(api: Api, relationship: Relationship) -> Api:
    """Its key is remembered."""
    assert _ask(api, relationship).status == 200
    assert len(authentication._REMEMBERED) == 1
    return api


def _ask(api: Api, relationship: Relationship, body: dict[str, str] | None = None) -> ApiAnswer:
    return api.post(f"/relationships/{relationship.id}/context", body or BODIES["a context"])


def test_the_second_context_of_a_key_takes_one_statement(known: Api, relationship: Relationship) -> None:
    with CaptureQueriesContext(connection) as queries:
        assert _ask(known, relationship).status == 200

    assert len(queries) == 1


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_revoked_key_is_told_nothing(known: Api, relationship: Relationship, body: dict[str, str]) -> None:
    ApiKey.objects.update(revoked_at=datetime.now(UTC))

    assert _ask(known, relationship, body).status == 401
    assert _ask(known, relationship, body).status == 401


def test_a_turn_takes_five_statements(known: Api, relationship: Relationship) -> None:
    Relationship.objects.update(language="simple")  # else it would be looked for
    for _ in range(3):
        Turn.objects.update(state="applied", due_at=None)  # so that a worker is told of the next one
        with statements_sent() as sent:
            assert known.post(f"/relationships/{relationship.id}/turns", TURN).status == 202

    assert len(sent) == 5, sent  # with those that begin and end the transaction


def test_a_revoked_key_hands_no_turn_over(known: Api, relationship: Relationship) -> None:
    ApiKey.objects.update(revoked_at=datetime.now(UTC))

    assert known.post(f"/relationships/{relationship.id}/turns", TURN).status == 401
    assert not Turn.objects.exists()


def test_a_revoked_key_is_not_told_that_a_relationship_is_not_there(known: Api) -> None:
    ApiKey.objects.update(revoked_at=datetime.now(UTC))

    assert known.post(f"/relationships/{'0' * 8}-0000-0000-0000-{'0' * 12}/context", {}).status == 401


def test_a_deleted_key_is_told_nothing(known: Api, relationship: Relationship) -> None:
    ApiKey.objects.all().delete()

    assert _ask(known, relationship).status == 401


def test_another_secret_of_a_remembered_prefix_is_refused(known: Api, relationship: Relationship) -> None:
    prefix = next(iter(authentication._REMEMBERED))

    assert _ask(Api(f"{prefix}_{'x' * 43}"), relationship).status == 401
    assert _ask(known, relationship).status == 200


def test_a_remembered_key_finds_no_relationship_of_another_project(
    known: Api, relationship: Relationship
) -> None:
    stranger = Api(new_key(create_project(name="Another", by=TESTER), "admin"))
    for _ in range(2):
        assert _ask(stranger, relationship).status == 404
    assert _ask(known, relationship).status == 200


def test_new_limits_of_a_key_hold_from_the_next_request_on(known: Api, relationship: Relationship) -> None:
    ApiKey.objects.update(rate_limits={"requests": "1/hour"})

    answers = [_ask(known, relationship) for _ in range(3)]

    assert [answer.status for answer in answers] == [200, 429, 429]
    assert '"requests";q=1;w=3600' in answers[0].headers["RateLimit-Policy"]
    assert answers[0].headers["RateLimit-Policy"].count("requests") == 1


def test_scopes_given_to_a_key_hold_from_the_next_request_on(known: Api, relationship: Relationship) -> None:
    ApiKey.objects.update(scopes=["read"])
    assert _ask(known, relationship).status == 200
    assert authentication._REMEMBERED[next(iter(authentication._REMEMBERED))].scopes == ["read"]


def _chat(api: Api, user: str = "maya") -> ApiAnswer:
    said = [{"role": "user", "content": "hello"}]
    return api.post("/chat/completions", {"model": "ada", "user": user, "messages": said})


def test_a_revoked_key_is_given_no_reply(known: Api, relationship: Relationship) -> None:
    assert _chat(known).status == 200
    ApiKey.objects.update(revoked_at=datetime.now(UTC))

    assert (_chat(known).status, _chat(known, user="nobody yet").status) == (401, 401)
    assert (Turn.objects.count(), EndUser.objects.count()) == (1, 1)


def test_a_revoked_key_follows_no_response(known: Api, relationship: Relationship) -> None:
    first = known.post("/responses", {"model": "ada", "user": "maya", "input": "hello"})
    for name in (first.body["id"], ReplyId(UUID(int=1), UUID(int=1)).response):
        follows = {"model": "ada", "input": "hello", "previous_response_id": name}
        ApiKey.objects.update(revoked_at=None)
        assert known.post("/responses", follows).status == (200 if name == first.body["id"] else 404)
        ApiKey.objects.update(revoked_at=datetime.now(UTC))
        assert known.post("/responses", follows).status == 401
        assert known.get(f"/responses/{name}").status == 401


def test_a_remembered_key_talks_for_somebody_new(known: Api) -> None:
    assert _chat(known, user="somebody new").status == 200
    assert EndUser.objects.filter(external_id="somebody new").exists()
