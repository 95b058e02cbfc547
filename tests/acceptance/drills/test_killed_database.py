"""kill -9 of PostgreSQL: what was accepted survives, and everybody finds the database again by themselves."""

from uuid import uuid4

import httpx
import pytest
from django.db import connection

from relationships.models import Relationship, Turn
from tests.acceptance.drills.talk import require_each_applied_once_in_order, scaled
from tests.acceptance.service import LiveService
from tests.vendor_servers.openai_server import OpenAIServer
from tests.waiting import wait_until

pytestmark = pytest.mark.drill

RELATIONSHIPS = scaled(3, 10)
TURNS = scaled(36, 200)
KILLS = scaled(2, 6)


class Talker:
    """A client as we advise it: one Idempotency-Key a turn, and patience."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http
        self.answers: set[int] = set()

    def say(self, relationship: Relationship, text: str) -> str:
        """The accepted turn's ID, however often it has to be sent."""
        key = uuid4().hex

        def accepted() -> str | None:
            answer = self._send(relationship, text, key)
            if answer is None or answer.status_code == 503:
                return None
            assert answer.status_code == 202, answer.text
            turn_id: str = answer.json()["id"]
            return turn_id

        return str(wait_until(accepted, timeout=60, what="a turn to be accepted"))

    def _send(self, relationship: Relationship, text: str, key: str) -> httpx.Response | None:
        body = {"messages": [{"role": "user", "content": text}]}
        path = f"/relationships/{relationship.id}/turns"
        try:
            answer = self._http.post(path, json=body, headers={"Idempotency-Key": key})
        except httpx.TransportError:
            return None
        self.answers.add(answer.status_code)
        return answer


def test_accepted_turns_survive_and_the_services_come_back_by_themselves(
    drilled_alone: LiveService, model: OpenAIServer
) -> None:
    live = drilled_alone
    model.latency = 0.02
    live.start_worker()
    live.start_web()
    live.wait_until_ready()
    people = live.new_relationships(RELATIONSHIPS)
    headers = {"Authorization": f"Bearer {live.new_api_key()}"}

    accepted = []
    with httpx.Client(base_url=f"{live.web.url}/v1", headers=headers, timeout=30) as http:
        talker = Talker(http)
        for number in range(TURNS):
            if number and number % (TURNS // (KILLS + 1)) == 0:
                live.database.kill_server()
            accepted.append(talker.say(people[number % RELATIONSHIPS], f"fact {number}"))

    wait_until(live.web.answers, timeout=60, what="the web server")
    live.wait_until_ready()
    connection.close()  # this test's own, which died with the server
    turns = [turn for person in people for turn in live.turns(person)]
    live.wait_until_settled(turns, timeout=90)
    assert {str(turn.id) for turn in turns} == set(accepted)
    assert talker.answers <= {202, 503}
    for person in people:
        require_each_applied_once_in_order(person)
    assert Turn.objects.count() == TURNS
