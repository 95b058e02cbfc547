"""kill -9 of PostgreSQL: what was accepted survives, and everybody finds the database again by themselves."""

import httpx
import pytest
from django.db import connection
from django.db.models.functions import Now

from relationships.models import Turn
from tests.acceptance.drills.talk import require_each_applied_once_in_order, scaled
from tests.acceptance.drills.talker import Talker
from tests.acceptance.processes import events_in
from tests.acceptance.service import LiveService
from tests.vendor_servers.openai_server import OpenAIServer
from tests.waiting import wait_until
from worker.models import PeriodicRun

pytestmark = pytest.mark.drill

RELATIONSHIPS = scaled(3, 10)
TURNS = scaled(36, 200)
KILLS = scaled(1, 6)
CALLS = scaled(40, 100)  # under way when it is killed


def test_accepted_turns_survive_and_the_services_come_back_by_themselves(
    drilled_alone: LiveService, model: OpenAIServer
) -> None:
    live = drilled_alone
    live.start_worker()
    live.start_web()
    live.wait_until_ready()
    people = live.new_relationships(RELATIONSHIPS)
    crowd = live.new_relationships(CALLS)
    headers = {"Authorization": f"Bearer {live.new_api_key()}"}

    accepted, owed = [], []
    with httpx.Client(base_url=f"{live.web.url}/v1", headers=headers, timeout=30) as http:
        talker = Talker(http)
        for number in range(TURNS):
            if number and number % (TURNS // (KILLS + 1)) == 0:
                model.latency, asked = 8, model.asked
                owed += [live.say(person, f"fact {number}") for person in crowd]
                wait_until(lambda: model.asked >= asked + CALLS, timeout=60, what="the calls")  # noqa: B023
                model.latency = 0.02
                live.database.kill_server()
                connection.close()  # this test's own, which died with the server
            accepted.append(talker.say(people[number % RELATIONSHIPS], f"fact {number}"))

    wait_until(live.web.answers, timeout=60, what="the web server")
    live.wait_until_ready()
    connection.close()
    turns = [turn for person in people for turn in live.turns(person)]
    live.wait_until_settled([*turns, *owed], timeout=90)
    assert {str(turn.id) for turn in turns} == set(accepted)
    assert talker.answers <= {202, 503}
    for person in (*people, *crowd):
        require_each_applied_once_in_order(person)
    assert Turn.objects.count() == TURNS + len(owed)
    assert {"worker.database.away", "worker.database.back"} <= set(events_in(live.worker.log))
    wait_until(PeriodicRun.objects.filter(next_at__gt=Now()).exists, what="the periodic tasks")
    assert live.worker.heartbeat is not None
    assert live.worker.heartbeat[1] == 0, "the pool outlives the database"
