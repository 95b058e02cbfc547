"""Hundreds of replies stream while the workers that read them are killed and begun anew: each is told whole and kept."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from relationships.models import Message, Turn
from tests.acceptance.drills.talk import note_down, scaled
from tests.acceptance.service import LiveService
from tests.vendor_servers.openai_server import OpenAIServer
from tests.waiting import wait_until

pytestmark = pytest.mark.drill

STREAMS = scaled(40, 300)
WORDS = [f"word{number} " for number in range(20)]


def speak_or_note(body: dict[str, Any]) -> dict[str, Any]:
    return {"pieces": WORDS, "pause": 0.15} if body.get("stream") else note_down(body)


def told(client: httpx.Client, person: int) -> str:
    """The reply as the client hears it; without its end, nothing."""
    said = [{"role": "user", "content": f"fact {person}"}]
    body = {"model": "ada", "user": f"person {person}", "stream": True, "messages": said}
    events = client.post("/chat/completions", json=body).raise_for_status().text.split("\n\n")
    parts = [json.loads(event.removeprefix("data: ")) for event in events if event.startswith("data: {")]
    words = [part["choices"][0]["delta"].get("content") or "" for part in parts if part["choices"]]
    return "".join(words) if events[-2:] == ["data: [DONE]", ""] else ""


def test_every_stream_is_whole_and_every_reply_is_read_whatever_becomes_of_the_workers(
    drilled: LiveService, model: OpenAIServer
) -> None:
    model.respond = speak_or_note
    drilled.new_relationships(1)
    drilled.start_web()
    worker = drilled.start_worker()
    drilled.wait_until_ready()
    headers = {"Authorization": f"Bearer {drilled.new_api_key()}"}
    turns = Turn.objects.filter(project_id=drilled.project.id)
    limits = httpx.Limits(max_connections=STREAMS)

    with (
        httpx.Client(base_url=f"{drilled.web.url}/v1", headers=headers, timeout=120, limits=limits) as client,
        ThreadPoolExecutor(STREAMS) as threads,
    ):
        under_way = [threads.submit(told, client, person) for person in range(STREAMS)]
        for share in (4, 2):
            wait_until(lambda: turns.count() >= STREAMS // share, timeout=90, what="replies")  # noqa: B023
            worker.kill_all()
            worker = drilled.start_worker()
        replies = [stream.result() for stream in under_way]

    assert replies == ["".join(WORDS)] * STREAMS
    wait_until(
        lambda: turns.filter(state="applied").count() == STREAMS, timeout=120, what="every reply to be read"
    )
    kept = Message.objects.filter(project_id=drilled.project.id, role="assistant")
    assert [message.content for message in kept] == ["".join(WORDS)] * STREAMS
    assert turns.count() == STREAMS
