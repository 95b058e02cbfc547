"""A provider that fails for a third of its calls, in every way it can: no turn is lost, what fails is seen to fail."""

import itertools
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from relationships.models import Turn
from tests.acceptance.drills.talk import note_down, require_each_applied_once_in_order, scaled
from tests.acceptance.service import LiveService
from tests.vendor_servers.openai_server import OpenAIServer
from tests.waiting import wait_until

pytestmark = pytest.mark.drill

TURNS = scaled(45, 200)
FAILURES: list[dict[str, Any]] = [
    {"status": 429, "retry_after": 0},
    {"status": 500},
    {"delay": 1.5},  # longer than the service waits
    {"text": '{"operations": [{"op": "add", "content": "cut o'},
    {"drop": True},
    {"empty": True},
    {"raw": "<html>Bad gateway</html>", "status": 502, "content_type": "text/html"},
]


@pytest.fixture
def failing(drilled: LiveService) -> Iterator[LiveService]:
    """Every third call fails, each time in another way."""
    calls = itertools.count()
    failures = itertools.cycle(FAILURES)

    def respond(body: dict[str, Any]) -> dict[str, Any]:
        if next(calls) % 3 != 2:
            return note_down(body)
        failure = next(failures)
        return failure if "text" in failure else {**note_down(body), **failure}

    with OpenAIServer(respond=respond) as server:
        drilled.settings |= {"OPENAI_BASE_URL": server.url, "RAPPORT_PROVIDER_TIMEOUT": "0.5"}
        yield drilled


def test_no_turn_is_lost_when_every_third_call_fails(failing: LiveService) -> None:
    people = failing.new_relationships(5)
    turns = [failing.say(people[number % 5], f"fact {number}") for number in range(TURNS)]
    failing.start_worker()

    failing.wait_until_settled(turns, timeout=scaled(120, 400))

    for person in people:
        require_each_applied_once_in_order(person)


def test_readiness_turns_red_while_the_provider_is_down_and_green_again(
    drilled: LiveService, model: OpenAIServer
) -> None:
    drilled.settings |= {"RAPPORT_OLDEST_TURN_LIMIT_SECONDS": "1"}
    drilled.start_worker()
    web = drilled.start_web()
    drilled.wait_until_ready()

    def reasons() -> str:
        answer = httpx.get(f"{web.url}/readyz/worker").json()
        return " ".join(answer["reasons"])

    for status, code in ((503, "unavailable"), (401, "unauthorized")):
        model.push({"status": status, "always": True})
        turn = drilled.say(drilled.new_relationships(1)[0], "fact")
        wait_until(lambda: "provider:" in reasons(), timeout=20, what="a red /readyz/worker")
        assert Turn.objects.get(settled_at=None).error_code == code
        assert httpx.get(f"{web.url}/readyz").status_code == 200

        model.clear()
        drilled.wait_until_settled([turn])
        web.wait_until_it_answers("/readyz/worker", timeout=20)
