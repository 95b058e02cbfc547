"""The production web server itself: what it passes on, what it survives, how it ends."""

import json
import signal
import socket
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import psutil
import pytest

from tests.acceptance.processes import free_port
from tests.acceptance.service import LiveService
from tests.vendor_servers.openai_server import OpenAIServer
from tests.waiting import wait_until

LIMIT = 40
SESSION_OF_OURS = Path("/proc/self/autogroup")
TURN = {"messages": [{"role": "user", "content": "I like tea."}]}


def client_of(live: LiveService) -> httpx.Client:
    headers = {"Authorization": f"Bearer {live.new_api_key()}"}
    return httpx.Client(base_url=f"{live.web.url}/v1", headers=headers, timeout=60)


def servers(live: LiveService) -> list[psutil.Process]:
    """The processes that answer."""
    return live.web.family()[1:]


def test_it_finishes_what_it_has_begun_when_it_is_told_to_stop(live: LiveService) -> None:
    with OpenAIServer() as model, ThreadPoolExecutor(1) as thread:
        model.latency = 2
        live.settings |= {
            "RAPPORT_LLM_PROVIDER": "openai",
            "OPENAI_BASE_URL": model.url,
            "OPENAI_API_KEY": "k",
        }
        live.start_worker()
        live.start_web()
        live.wait_until_ready()
        relationship = live.new_relationships(1)[0]
        with client_of(live) as client:
            path = f"/relationships/{relationship.id}/turns?wait=20"
            answer = thread.submit(client.post, path, json=TURN)
            wait_until(lambda: model.requests, what="the model to be asked")

            assert live.web.stop() == 0
            assert "Killing" not in live.web.log  # of a process that ends in time

            assert answer.result().status_code == 200
            assert answer.result().json()["state"] == "applied"


@pytest.mark.skipif(not SESSION_OF_OURS.exists(), reason="this kernel does not group processes by session")
def test_the_group_for_replies_gives_way_to_contexts_from_a_session_of_its_own(live: LiveService) -> None:
    """As systemd starts it. Its processes' own niceness counts only within a session."""
    web = live.start_web()
    chats = live.start_command("web", "--chats", "--bind", f"127.0.0.1:{free_port()}")

    for pid, niceness in {web.pid: "nice 0", chats.pid: "nice 10"}.items():
        wait_until(lambda: Path(f"/proc/{pid}/autogroup").read_text().rstrip().endswith(niceness))  # noqa: B023


def test_two_processes_count_together_one_that_is_killed_is_replaced_and_with_the_first_all_end(
    live: LiveService,
) -> None:
    live.start_web(RAPPORT_WEB_PROCESSES="2", RAPPORT_RATE_REQUESTS=f"{LIMIT}/hour", RAPPORT_LOG_STYLE="json")
    live.web.wait_until_it_answers()
    let_just_the_limit_through(live)
    killed = servers(live)[0]

    killed.kill()

    wait_until(
        lambda: killed not in servers(live) and len(servers(live)) == 2, timeout=30, what="another one"
    )
    wait_until(live.web.answers, timeout=30, what="an answer")
    events = [json.loads(line)["event"] for line in live.web.log.splitlines()]
    assert any(event.startswith("Unexpected exit from worker") for event in events)
    others = servers(live)

    live.web.kill()

    wait_until(lambda: not any(map(psutil.Process.is_running, others)), timeout=30, what="them to end")
    address = urlsplit(live.web.url)
    with socket.socket() as probe:
        assert probe.connect_ex((str(address.hostname), int(address.port or 0))) != 0


def let_just_the_limit_through(live: LiveService) -> None:
    """What one process lets through, the other counts."""
    with client_of(live) as client, client_of(live) as other:
        with ThreadPoolExecutor(8) as people:
            answers = list(people.map(lambda _: client.get("/project"), range(4 * LIMIT)))
        statuses = [answer.status_code for answer in answers]
        refused = [int(answer.headers["Retry-After"]) for answer in answers if answer.status_code == 429]
        assert (statuses.count(200), len(refused)) == (LIMIT, 3 * LIMIT)
        assert 3000 < min(refused) <= max(refused) <= 3600
        assert other.get("/project").status_code == 200


def test_a_header_beyond_ascii_is_not_lost_but_refused_by_its_name(live_service: LiveService) -> None:
    relationship = live_service.new_relationships(1)[0]
    with client_of(live_service) as client:
        headers = [(b"Idempotency-Key", "né-1".encode())]
        answer = client.post(f"/relationships/{relationship.id}/turns", json=TURN, headers=headers)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "Idempotency-Key"


def test_a_body_sent_in_pieces_is_taken(live_service: LiveService) -> None:
    relationship = live_service.new_relationships(1)[0]
    pieces = (part for part in (b'{"messages": [{"role": "user",', b' "content": "I like tea."}]}'))
    with client_of(live_service) as client:
        path = f"/relationships/{relationship.id}/turns"
        answer = client.post(path, content=pieces, headers={"Content-Type": "application/json"})

    assert answer.status_code == 202, answer.text


def test_a_client_that_sends_all_before_it_listens_hears_why_it_was_refused(
    live_service: LiveService,
) -> None:
    """Python's own does."""
    megabytes = [b" " * 1_000_000] * 30
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {live_service.new_api_key()}"}
    told: list[tuple[int, str]] = []
    for body in (b"".join(megabytes), iter(megabytes)):
        connection = HTTPConnection(urlsplit(live_service.web.url).netloc, timeout=30)
        connection.request("POST", "/v1/users", body, headers)
        answer = connection.getresponse()
        told.append((answer.status, json.loads(answer.read())["type"]))
        connection.close()

    assert told == [(413, "urn:rapport:problem:too_much")] * 2


def test_a_head_beyond_every_measure_is_refused_and_costs_nobody_else(live_service: LiveService) -> None:
    with client_of(live_service) as client:
        answer = client.get("/users", headers={"X-Long": "x" * 200_000})

    assert answer.status_code == 431
    assert live_service.web.answers()


def test_a_page_of_a_named_site_is_told_what_is_refused_before_any_view_and_one_signal_ends_the_server(
    live: LiveService,
) -> None:
    """While a client holds its connection, another is in the middle of a head, another in the middle of a body, and
    another listens to what happens.
    """
    live.start_web(
        RAPPORT_CORS_ORIGINS="https://app.example", RAPPORT_MAX_AT_ONCE="1", RAPPORT_WEB_PROCESSES="1"
    )
    live.web.wait_until_it_answers()
    address = urlsplit(live.web.url)
    events = f"/relationships/{live.new_relationships(1)[0].id}/events"
    place = (str(address.hostname), int(address.port or 0))
    with (
        socket.create_connection(place) as idle,
        socket.create_connection(place) as halfway,
        socket.create_connection(place) as unfinished,
        client_of(live) as client,
        client.stream("GET", events, headers={"Accept": "text/event-stream"}) as stream,
    ):
        halfway.sendall(b"GET /healthz HTTP/1.1\r\nHost: ")
        unfinished.sendall(b"POST /v1/users HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n{")
        idle.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert idle.recv(64).startswith(b"HTTP/1.1 200")

        def second() -> httpx.Response | None:
            answer = httpx.get(f"{live.web.url}/v1/users", headers={"Origin": "https://app.example"})
            return None if answer.status_code == 401 else answer  # the first is not there yet

        refused = wait_until(second)
        assert refused is not None
        assert (refused.status_code, refused.json()["type"]) == (429, "urn:rapport:problem:too_many_at_once")
        assert refused.headers["Access-Control-Allow-Origin"] == "https://app.example"

        live.web.send(signal.SIGTERM)

        assert "retry" in "".join(stream.iter_text())  # to its end
        assert unfinished.recv(64).startswith(b"HTTP/1.1 503")
        assert live.web.wait(20) == 0
