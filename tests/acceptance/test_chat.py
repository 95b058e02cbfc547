"""Replies by the real server: streams beside contexts, connections, signals, and clients that go away."""

import json
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from django.db import connection

from relationships.models import Message, Turn
from tests.acceptance.service import LiveService
from tests.vendor_servers.openai_server import OpenAIServer
from tests.waiting import wait_until

STREAMS = 12
WORDS = " ".join(f"word{n}" for n in range(20))
BODY = {"model": "ada", "user": "maya", "stream": True, "messages": [{"role": "user", "content": "Count."}]}
COMPANION = {"ingestion": {"provider": "offline"}, "context": {"provider": "openai"}, "chat": {"tools": []}}


@pytest.fixture
def service(live: LiveService, model: OpenAIServer) -> LiveService:
    """A web server whose companion `ada` is answered for by `model`."""
    live.settings |= {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "k", "RAPPORT_PROVIDER_TIMEOUT": "20"}
    live.companion_config = COMPANION
    live.new_relationships(1)
    return live


def start(service: LiveService, **settings: str) -> str:
    """A key of the project, once the server answers."""
    service.start_web(**{"RAPPORT_WEB_PROCESSES": "1", "RAPPORT_WEB_THREADS": "2", **settings})
    service.web.wait_until_it_answers()
    return service.new_api_key()


def stream(service: LiveService, key: str, **fields: Any) -> str:
    """The whole stream, as text."""
    headers = {"Authorization": f"Bearer {key}"}
    with httpx.Client(timeout=60) as client:
        return client.post(
            f"{service.web.url}/v1/chat/completions", json={**BODY, **fields}, headers=headers
        ).text


def web_connections() -> list[str]:
    """What the web server's connections are at."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT state FROM pg_stat_activity"
            " WHERE application_name = 'rapport-web' AND datname = current_database() AND query NOT LIKE 'LISTEN%'"
        )
        return [row[0] for row in cursor.fetchall()]


def test_no_connection_is_held_while_models_speak_and_contexts_are_answered(
    service: LiveService, model: OpenAIServer
) -> None:
    key = start(service, RAPPORT_CHAT_THREADS="16")
    model.push({"text": WORDS, "stall": 5, "repeat": STREAMS})
    relationship = service.new_relationships(1)[0]
    headers = {"Authorization": f"Bearer {key}"}
    with ThreadPoolExecutor(STREAMS) as threads, httpx.Client(headers=headers, timeout=10) as client:
        under_way = [threads.submit(stream, service, key, user=f"user {n}") for n in range(STREAMS)]
        wait_until(lambda: model.asked == STREAMS, what="all streams")
        wait_until(
            lambda: f"rapport_chat_open {STREAMS}.0" in client.get(f"{service.web.url}/metrics").text,
            what="all open",
        )

        contexts = [
            client.post(
                f"{service.web.url}/v1/relationships/{relationship.id}/context", json={"message": "Hi"}
            )
            for _ in range(5)
        ]
        connections = web_connections()

        assert [answer.status_code for answer in contexts] == [200] * 5
        assert len(connections) <= 2 + 4 + 2, (
            "threads that answer, threads that keep replies, threads for files"
        )
        assert set(connections) <= {"idle"}
        model.stopping.set()
        texts = [one.result() for one in under_way]
    assert all("error" in text for text in texts), "the model broke off"
    metrics = httpx.get(f"{service.web.url}/metrics").text
    assert f"rapport_chat_interrupted_total {STREAMS}.0" in metrics and "rapport_chat_open 0.0" in metrics
    assert Turn.objects.filter(interrupted=True).count() == STREAMS


def test_no_connection_is_held_while_a_behaviour_asks_a_model(
    service: LiveService, model: OpenAIServer
) -> None:
    key = start(service, RAPPORT_WEB_THREADS="8", RAPPORT_DATABASE_POOL="1")
    model.push({"text": "Be kind.", "delay": 5, "repeat": 2})
    asking = {"provider": "openai", "prompt": "What to say to: {{ message }}", "timeout_ms": 10_000}
    behaviours = {"behaviours": {"named": {"greet": {"ask": asking}}}}
    relationship = service.new_relationships(1)[0]
    url = f"{service.web.url}/v1/relationships/{relationship.id}/context"
    headers = {"Authorization": f"Bearer {key}"}
    with ThreadPoolExecutor(2) as threads, httpx.Client(headers=headers, timeout=20) as client:
        asked = [
            threads.submit(client.post, url, json={"message": "Hi", "config": behaviours}) for _ in range(2)
        ]
        wait_until(lambda: model.asked == 2, what="both to be asked")

        plain = client.post(url, json={"message": "Hi"})

        assert plain.status_code == 200
        assert not any(one.done() for one in asked)
        model.stopping.set()  # it answers at once
        assert all("Be kind." in one.result().json()["system"] for one in asked)


def test_a_stop_lets_streams_end(service: LiveService, model: OpenAIServer) -> None:
    key = start(service)
    model.push({"text": WORDS, "pause": 0.1})
    with ThreadPoolExecutor(1) as thread:
        text = thread.submit(stream, service, key)
        wait_until(lambda: model.asked, what="the model to be asked")

        assert service.web.stop() == 0

        assert text.result().endswith("data: [DONE]\n\n")
    assert Message.objects.get(role="assistant").content == WORDS


def test_a_process_that_is_killed_amid_a_stream_leaves_no_turn_and_the_client_hears_of_it(
    service: LiveService, model: OpenAIServer
) -> None:
    key = start(service)
    model.push({"text": WORDS, "stall": 5})
    headers = {"Authorization": f"Bearer {key}"}
    url = f"{service.web.url}/v1/chat/completions"
    received = ""
    with httpx.Client(timeout=20) as client, client.stream("POST", url, json=BODY, headers=headers) as answer:
        parts = answer.iter_text()
        while "word2" not in received:
            received += next(parts)
        os.kill(service.web.family()[-1].pid, signal.SIGKILL)
        with pytest.raises(httpx.RemoteProtocolError):
            received += "".join(parts)

    assert "[DONE]" not in received
    assert not Turn.objects.exists()
    service.web.wait_until_it_answers()
    model.clear()
    assert "[DONE]" in stream(service, key)
    assert Turn.objects.count() == 1


def test_more_streams_than_threads_wait_and_all_complete(service: LiveService, model: OpenAIServer) -> None:
    key = start(service, RAPPORT_CHAT_THREADS="4")
    began = time.monotonic()
    with ThreadPoolExecutor(16) as threads:
        model.latency = 0.05
        texts = list(threads.map(lambda n: stream(service, key, user=f"user {n}"), range(16)))

    assert all(text.endswith("[DONE]\n\n") for text in texts)
    assert time.monotonic() - began < 30
    assert service.web.stop(timeout=8) == 0
    assert json.loads(texts[0].split("\n\n")[0].removeprefix("data: "))["object"] == "chat.completion.chunk"
