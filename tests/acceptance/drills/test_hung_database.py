"""A database that hangs as a whole and closes no socket: who asks is told in time, and nothing is lost or done twice."""

import signal
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tests.acceptance.service import LiveService
from tests.vendor_servers.openai_server import OpenAIServer
from tests.waiting import wait_until

pytestmark = pytest.mark.drill

ASKING = 20  # at once: more than there are threads
SECONDS = 12.0  # in which each has its answer
TURN = {"messages": [{"role": "user", "content": "fact"}]}


def test_all_who_ask_are_told_in_time_and_what_is_sent_again_is_there_once(
    drilled_alone: LiveService, model: OpenAIServer
) -> None:
    live = drilled_alone
    web = live.start_web()
    web.wait_until_it_answers("/readyz")
    (person,) = live.new_relationships(1)
    headers = {"Authorization": f"Bearer {live.new_api_key()}", "Idempotency-Key": "once"}
    address = f"/v1/relationships/{person.id}"

    with httpx.Client(base_url=web.url, headers=headers, timeout=SECONDS) as http:
        assert http.post(f"{address}/context", json={}).status_code == 200
        live.database.send_all(signal.SIGSTOP)
        try:
            with ThreadPoolExecutor(ASKING) as threads:
                turns = [threads.submit(http.post, f"{address}/turns", json=TURN) for _ in range(ASKING)]
                assert {turn.result().status_code for turn in turns} == {503}
                assert http.get("/healthz", timeout=2).status_code == 200
        finally:
            live.database.send_all(signal.SIGCONT)
        kept = wait_until(lambda: sent(http.post(f"{address}/turns", json=TURN)), what="the turn to be taken")
        assert {http.post(f"{address}/context", json={}).status_code for _ in range(ASKING)} == {200}
    assert [str(turn.id) for turn in live.turns(person)] == [kept]


def sent(answer: httpx.Response) -> str | None:
    return str(answer.json()["id"]) if answer.is_success else None
