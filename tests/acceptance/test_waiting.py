"""`POST /turns?wait=` through the production server."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from typing import Any

import httpx
import pytest

from relationships.models import Relationship
from tests.acceptance.service import LiveService
from tests.vendor_servers.openai_server import OpenAIServer

WEB = {"RAPPORT_WEB_PROCESSES": "1", "RAPPORT_WEB_THREADS": "8", "RAPPORT_MAX_WAITERS": "3"}
BODY = {"messages": [{"role": "user", "content": "I like tea."}]}


@pytest.fixture
def model() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


@pytest.fixture
def client(live: LiveService, model: OpenAIServer) -> Iterator[httpx.Client]:
    """Of a service that asks this model, with few places to wait."""
    asking = {"RAPPORT_LLM_PROVIDER": "openai", "OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "k"}
    live.settings |= WEB | asking
    live.start_worker()
    live.start_web()
    live.wait_until_ready()
    headers = {"Authorization": f"Bearer {live.new_api_key()}"}
    with httpx.Client(base_url=f"{live.web.url}/v1", headers=headers, timeout=60) as made:
        yield made


def post_turn(client: httpx.Client, relationship: Relationship, *, wait: int) -> tuple[Any, float]:
    """The answer, and how many seconds it took."""
    started = perf_counter()
    answer = client.post(f"/relationships/{relationship.id}/turns", params={"wait": wait}, json=BODY)
    seconds = perf_counter() - started
    assert answer.status_code in (200, 202), answer.text
    return answer.json(), seconds


def test_a_turn_that_is_waited_for_comes_back_as_soon_as_it_is_applied(
    live: LiveService, client: httpx.Client
) -> None:
    turn, seconds = post_turn(client, live.new_relationships(1)[0], wait=20)

    assert turn["state"] == "applied"
    assert seconds < 15


def test_after_its_seconds_the_answer_comes_with_the_turn_as_it_stands(
    live: LiveService, client: httpx.Client, model: OpenAIServer
) -> None:
    model.latency = 30

    turn, seconds = post_turn(client, live.new_relationships(1)[0], wait=1)

    assert turn["state"] in ("pending", "processing")
    assert seconds >= 1


def test_beyond_the_places_to_wait_the_answer_comes_at_once_and_others_are_served(
    live: LiveService, client: httpx.Client, model: OpenAIServer
) -> None:
    model.latency = 30
    people = live.new_relationships(12)
    with ThreadPoolExecutor(12) as pool:
        answers = [pool.submit(post_turn, client, person, wait=4) for person in people]
        assert client.get(f"{live.web.url}/healthz").status_code == 200
        seconds = sorted(answer.result()[1] for answer in answers)

    waited = [each for each in seconds if each >= 4]
    assert len(waited) == 3
    assert len(seconds) == 12
