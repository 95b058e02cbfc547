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


def test_a_turn_that_is_waited_for_is_told_as_soon_as_it_is_applied_or_its_seconds_are_over(
    live: LiveService, client: httpx.Client, model: OpenAIServer
) -> None:
    """Beyond the places to wait the answer comes at once, and others are served."""
    turn, seconds = post_turn(client, live.new_relationships(1)[0], wait=20)
    assert turn["state"] == "applied"
    assert seconds < 15

    model.latency = 30
    people = live.new_relationships(12)
    with ThreadPoolExecutor(12) as pool:
        answers = [pool.submit(post_turn, client, person, wait=4) for person in people]
        assert client.get(f"{live.web.url}/healthz").status_code == 200
        told = [answer.result() for answer in answers]

    assert {turn["state"] for turn, _ in told} <= {"pending", "processing"}
    assert sum(seconds >= 4 for _, seconds in told) == 3
