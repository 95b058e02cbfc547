"""Everything behind PgBouncer in transaction mode, which hands a session to another client after each transaction."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.acceptance.drills.talk import require_each_applied_once_in_order, scaled
from tests.acceptance.drills.talker import talking
from tests.acceptance.pooler import Pooler, pgbouncer, pooled
from tests.acceptance.service import LiveService
from tests.vendor_servers.openai_server import OpenAIServer
from tests.waiting import wait_until

pytestmark = [
    pytest.mark.drill,
    pytest.mark.skipif(pgbouncer() is None, reason="PgBouncer is not installed: apt install pgbouncer."),
]

TURNS = scaled(20, 500)
SECONDS = 12.0  # in which who asks has an answer


@pytest.fixture
def pooler(drilled: LiveService, tmp_path: Path) -> Iterator[Pooler]:
    with pooled(drilled.database, tmp_path) as pooler:
        drilled.settings |= {"DATABASE_URL": pooler.url, "RAPPORT_PREPARED_STATEMENTS": "0"}
        yield pooler
        drilled.end()


@pytest.mark.parametrize("direct", scaled([True], [True, False]))
def test_behind_a_pooler_turns_are_read_and_with_a_direct_address_who_waits_is_told(
    direct: bool, pooler: Pooler, drilled: LiveService, model: OpenAIServer
) -> None:
    live = drilled
    if direct:
        live.settings["DATABASE_DIRECT_URL"] = live.database.environment["DATABASE_URL"]
    live.start_worker()
    live.start_web()
    live.wait_until_ready()
    people = live.new_relationships(3)

    with talking(live, people) as accepted:
        wait_until(lambda: len(accepted) >= TURNS, timeout=60, what="turns to be accepted")

    live.wait_until_settled([turn for person in people for turn in live.turns(person)], timeout=90)
    for person in people:
        require_each_applied_once_in_order(person)
    assert pooler.settings_of_its_sessions("synchronous_commit") == {"on"}
    assert "queue.database.away" not in live.worker.log
    if direct:
        answer = httpx.post(
            f"{live.web.url}/v1/relationships/{people[0].id}/turns?wait=30",
            json={"messages": [{"role": "user", "content": "fact"}]},
            headers={"Authorization": f"Bearer {live.new_api_key()}"},
            timeout=60,
        )
        assert (answer.status_code, answer.json()["state"]) == (200, "applied")
        assert answer.elapsed.total_seconds() < 20, "told, not waited to the end"


def test_while_it_holds_everybody_up_who_asks_is_told_in_time(pooler: Pooler, drilled: LiveService) -> None:
    web = drilled.start_web()
    web.wait_until_it_answers("/readyz")
    (person,) = drilled.new_relationships(1)
    headers = {"Authorization": f"Bearer {drilled.new_api_key()}"}

    with httpx.Client(base_url=web.url, headers=headers, timeout=SECONDS) as http:

        def ask() -> int:
            return http.post(f"/v1/relationships/{person.id}/context", json={}).status_code

        assert ask() == 200
        pooler.say("PAUSE")
        assert ask() == 503
        pooler.say("RESUME")
        wait_until(lambda: ask() == 200, what="a context")
    assert "error ignored" not in web.log, "what was not answered needs no ROLLBACK"
