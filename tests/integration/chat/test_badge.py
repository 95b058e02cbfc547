"""The badge "memory updated", with a real worker's reading in the meantime."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connections

from memory.ingestion.pipeline import drain_relationship
from relationships.models import Companion, Relationship, Turn
from tests.fixtures.chat import Chat, stored
from tests.vendor_servers.openai_server import OpenAIServer
from tests.waiting import wait_until
from worker.waiting import stop_listening

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def reader(companion: Companion, relationship: Relationship) -> Callable[[], threading.Thread]:
    """Reads the first turn that comes, as a worker does."""

    def read() -> None:
        try:
            wait_until(lambda: Turn.objects.exists(), what="a turn")
            drain_relationship(relationship_id=relationship.id, worker="test")
        finally:
            connections.close_all()

    def start() -> threading.Thread:
        thread = threading.Thread(target=read)
        thread.start()
        return thread

    companion.config = {"ingestion": {"provider": "offline"}}
    companion.save()
    return start


@pytest.mark.parametrize("strategy", ["operations", "classifier"])
def test_the_last_chunk_says_what_was_kept(
    reader: Callable[[], threading.Thread],
    chat: Chat,
    companion: Companion,
    replying: OpenAIServer,
    strategy: str,
) -> None:
    companion.config["ingestion"] = {"provider": "offline", "strategy": strategy}
    companion.save()
    replying.push({"text": "Porto is lovely in spring.", "pause": 0.05})
    thread = reader()

    told = chat.stream("I live in Porto.", rapport={"wait_for_memory": 5})[-1]["rapport"]

    thread.join()
    stop_listening()
    assert told["memory_updated"] is True
    assert [(one["event"], one["content"]) for one in told["remembered"]] == [("add", "Lives in Porto")]
    assert stored() == [("user", "I live in Porto."), ("assistant", "Porto is lovely in spring.")]
    assert Turn.objects.count() == (2 if strategy == "classifier" else 1)


def test_what_comes_too_late_has_no_badge(chat: Chat) -> None:
    told = chat.stream("I live in Porto.", rapport={"wait_for_memory": 0})[-1]["rapport"]

    stop_listening()
    assert told["memory_updated"] is None and told["remembered"] == []
    assert Turn.objects.get().state == "pending"


def test_a_call_whose_reply_never_began_is_no_second_turn_when_it_is_made_again(
    chat: Chat, companion: Companion, replying: OpenAIServer
) -> None:
    """What the person said is taken in at once; the reply to it comes with the second call, and then it is over."""
    companion.config["ingestion"] = {"provider": "offline", "strategy": "classifier"}
    companion.save()
    replying.push({"status": 400})
    wait: dict[str, Any] = {"rapport": {"wait_for_memory": 0}}

    assert chat.say("I live in Porto.", **wait).status >= 400
    assert stored() == [("user", "I live in Porto.")]
    replying.push({"text": "Nice."}, {"text": "You said."})
    assert chat.say("I live in Porto.", **wait).status == 200
    assert stored() == [("user", "I live in Porto."), ("assistant", "Nice.")]
    assert chat.say("I live in Porto.", **wait).status == 200

    stop_listening()
    assert [text for _, text in stored()] == ["I live in Porto.", "Nice.", "I live in Porto.", "You said."]
