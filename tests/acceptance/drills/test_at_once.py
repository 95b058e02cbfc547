"""Many at the same moment: two workers, equal calls, different calls, one relationship."""

from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from relationships.models import Relationship
from tests.acceptance.drills.talk import require_each_applied_once_in_order, scaled
from tests.acceptance.service import LiveService

pytestmark = pytest.mark.drill

ROUNDS = scaled(3, 25)


@pytest.fixture
def crowd(drilled: LiveService) -> LiveService:
    """A web server and two workers."""
    drilled.start_worker().wait_until_in_order()
    drilled.start_worker()
    drilled.start_web()
    drilled.wait_until_ready()
    return drilled


def send_at_once(
    live: LiveService, relationship: Relationship, texts: list[str], key: str | None = None
) -> list[httpx.Response]:
    headers = {"Authorization": f"Bearer {live.new_api_key()}"} | ({"Idempotency-Key": key} if key else {})
    url = f"{live.web.url}/v1/relationships/{relationship.id}/turns"

    def send(text: str) -> httpx.Response:
        return httpx.post(url, json={"messages": [{"role": "user", "content": text}]}, headers=headers)

    with ThreadPoolExecutor(len(texts)) as threads:
        return list(threads.map(send, texts))


def test_eight_calls_at_once_are_one_turn_with_one_key_and_else_eight_in_the_order_of_acceptance(
    crowd: LiveService,
) -> None:
    for number in range(ROUNDS):
        relationship = crowd.new_relationships(1)[0]
        texts = [f"fact {number} {place}" for place in range(8)]

        equal = send_at_once(crowd, relationship, [f"fact {number}"] * 8, key=f"key {number}")
        different = send_at_once(crowd, relationship, texts)

        assert [answer.status_code for answer in (*equal, *different)] == [202] * 16
        assert len({answer.json()["id"] for answer in equal}) == 1
        turns = crowd.turns(relationship)
        assert len(turns) == 1 + 8
        crowd.wait_until_settled(turns)
        require_each_applied_once_in_order(relationship)
