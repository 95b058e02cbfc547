"""Many questions to models are under way, and something they rest on goes: nothing is lost, doubled, or kept waiting."""

import json
from contextlib import ExitStack
from typing import Any

import httpx
import psycopg
import pytest
from django.db import connection

from relationships.models import Companion, Relationship
from relationships.services.projects import create_project
from tests.acceptance.drills.talk import note_down, only_long, require_each_applied_once_in_order, scaled
from tests.acceptance.drills.talker import Talker
from tests.acceptance.service import TESTER, LiveService
from tests.fixtures.people import meet
from tests.vendor_servers.openai_server import OpenAIServer
from tests.waiting import wait_until
from worker.silence import SILENT_SECONDS

pytestmark = pytest.mark.drill

READERS = 8
GIVEN_UP_AFTER = 3  # seconds of silence


def silent_to_some(body: dict[str, Any]) -> dict[str, Any]:
    return {"delay": 600} if "silence" in json.dumps(body) else note_down(body)


def of_another_project() -> Relationship:
    project = create_project(name="Another", by=TESTER)
    return meet(Companion.objects.create(project=project, slug="eve", name="Eve"))


def test_a_model_that_never_answers_one_project_keeps_no_other_waiting_longer_than_its_calls(
    drilled: LiveService, model: OpenAIServer
) -> None:
    model.respond = silent_to_some
    for person in drilled.new_relationships(scaled(5, 50) * READERS):
        drilled.say(person, "silence")
    few = {"RAPPORT_WORKERS": "1", "RAPPORT_READERS": str(READERS)}
    drilled.start_worker(RAPPORT_PROVIDER_TIMEOUT=str(GIVEN_UP_AFTER), **few)
    wait_until(lambda: model.asked >= READERS, timeout=30, what="every reader to hear nothing")

    other = of_another_project()
    turns = [drilled.say(other, "a fact")]

    # One call of those before it, and what the pool has in its hands already.
    assert drilled.wait_until_settled(turns, timeout=2 * GIVEN_UP_AFTER + 5) == ["applied"]
    require_each_applied_once_in_order(other)


@only_long
def test_a_model_that_hangs_for_one_project_keeps_no_other_waiting_until_it_is_given_up(
    drilled: LiveService, model: OpenAIServer
) -> None:
    model.respond = silent_to_some
    people = drilled.new_relationships(50 * READERS)
    unheard = [drilled.say(person, "silence") for person in people]
    few = {"RAPPORT_WORKERS": "1", "RAPPORT_READERS": str(READERS)}
    given_up_after = 2 * SILENT_SECONDS
    drilled.start_worker(RAPPORT_PROVIDER_TIMEOUT=str(given_up_after), **few)
    wait_until(lambda: model.asked >= READERS, timeout=30, what="every reader to hear nothing")

    other = of_another_project()
    turns = [drilled.say(other, f"fact {number}") for number in range(3)]

    assert drilled.wait_until_settled(turns, timeout=SILENT_SECONDS + 8) == ["applied"] * 3
    assert model.asked <= READERS + 3, "while nothing is answered, nothing more is asked"

    model.respond = note_down
    assert drilled.wait_until_settled(unheard, timeout=120) == ["applied"] * len(unheard)


def test_somebody_else_has_taken_every_connection(drilled_alone: LiveService, model: OpenAIServer) -> None:
    live = drilled_alone
    live.start_worker()
    live.start_web()
    live.wait_until_ready()
    people = live.new_relationships(4)
    headers = {"Authorization": f"Bearer {live.new_api_key()}"}
    connection.close()

    with httpx.Client(base_url=f"{live.web.url}/v1", headers=headers, timeout=30) as http:
        talker = Talker(http)
        with ExitStack() as taken:
            while True:
                try:
                    taken.enter_context(live.database.connect())
                except psycopg.OperationalError:
                    break
            body = {"messages": [{"role": "user", "content": "fact 0"}]}
            answers = [http.post(f"/relationships/{person.id}/turns", json=body) for person in people]
            assert {answer.status_code for answer in answers} <= {202, 503}
        accepted = sum(answer.status_code == 202 for answer in answers)
        for number in range(1, 9):
            talker.say(people[number % 4], f"fact {number}")

    turns = [turn for person in people for turn in live.turns(person)]
    assert len(turns) == accepted + 8
    assert live.wait_until_settled(turns, timeout=60) == ["applied"] * len(turns)
