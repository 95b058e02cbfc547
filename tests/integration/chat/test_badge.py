"""The badge "memory updated", with a real worker's reading in the meantime."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone

from chat.badge import RETRIED_WITHIN
from memory.ingestion.pipeline import drain_relationship
from relationships.models import Companion, Relationship, Turn
from tests.fixtures.chat import Chat, stored
from tests.fixtures.queue import stop_listening
from tests.vendor_servers.openai_server import OpenAIServer
from tests.waiting import wait_until

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
def test_the_last_chunk_says_what_was_stored(
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


def test_a_late_result_has_no_badge(chat: Chat) -> None:
    told = chat.stream("I live in Porto.", rapport={"wait_for_memory": 0})[-1]["rapport"]

    stop_listening()
    assert told["memory_updated"] is None and told["remembered"] == []
    assert Turn.objects.get().state == "pending"


@pytest.fixture
def early(companion: Companion, replying: OpenAIServer) -> None:
    """What the person says is taken in before the reply."""
    companion.config["ingestion"] = {"provider": "offline", "strategy": "classifier"}
    companion.save()


def ask(chat: Chat, *said: str, **fields: Any) -> int:
    return chat.say(*said, rapport={"wait_for_memory": 0}, **fields).status


@pytest.mark.parametrize("headers", [{}, {"Idempotency_Key": "once"}], ids=["without a key", "with a key"])
def test_a_retry_without_a_reply_counts_as_one_message(
    early: None, chat: Chat, replying: OpenAIServer, headers: dict[str, str]
) -> None:
    replying.push({"status": 500}, {"drop": True}, {"text": "Porto is lovely."})

    statuses = [ask(chat, "Guess what.", "I live in Porto.", headers=headers) for _ in range(3)]

    stop_listening()
    assert statuses == [502, 502, 200]
    said = [("user", "Guess what."), ("user", "I live in Porto.")]
    assert stored() == [*said, ("assistant", "Porto is lovely.")]
    sent = [(line["role"], line["content"]) for line in replying.requests[-1].body["messages"]]
    assert [line for line in sent if line[0] != "system"] == said


SAID_ANEW: dict[str, tuple[list[str], dict[str, Any]]] = {
    "other words": (["I live in Braga."], {}),
    "fewer of them": (["I live in Porto."], {}),
    "in another session": (["Guess what.", "I live in Porto."], {"metadata": {"session": "phone"}}),
}


@pytest.mark.parametrize(("said", "fields"), SAID_ANEW.values(), ids=SAID_ANEW.keys())
def test_a_message_that_is_said_again_later_is_accepted(
    early: None, chat: Chat, replying: OpenAIServer, said: list[str], fields: dict[str, Any]
) -> None:
    replying.push({"status": 500})
    ask(chat, "Guess what.", "I live in Porto.")

    ask(chat, *said, **fields)

    stop_listening()
    assert [content for role, content in stored() if role == "user"] == [
        "Guess what.",
        "I live in Porto.",
        *said,
    ]


@pytest.mark.parametrize("answered", [True, False], ids=["after the reply", "much later"])
def test_the_same_words_again_are_taken_in_again(
    early: None, chat: Chat, replying: OpenAIServer, answered: bool
) -> None:
    if not answered:
        replying.push({"status": 500})
    ask(chat, "Hi")
    if not answered:
        Turn.objects.update(recorded_at=timezone.now() - RETRIED_WITHIN)

    ask(chat, "Hi")

    stop_listening()
    assert [content for role, content in stored() if role == "user"] == ["Hi", "Hi"]
