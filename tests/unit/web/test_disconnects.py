"""A call to another server ends with who waits for its answer."""

import threading
from collections.abc import Callable, Iterator

import httpx2
import pytest

from tests.vendor_servers.openai_server import OpenAIServer
from tests.waiting import wait_until
from web.deadline import bind
from web.disconnects import Recipient, made_for, nobody_waits


@pytest.fixture
def ask(openai_server: OpenAIServer) -> Iterator[Callable[[], int]]:
    with httpx2.Client(trust_env=False, timeout=60) as client:
        bind(client)
        yield lambda: client.post(f"{openai_server.url}/chat/completions", json={"messages": []}).status_code


def test_what_reads_from_a_silent_server_ends(openai_server: OpenAIServer, ask: Callable[[], int]) -> None:
    openai_server.push({"delay": 60})
    recipient, ended = Recipient(), list[Exception]()

    def work() -> None:
        with made_for(recipient):
            try:
                ask()
            except httpx2.HTTPError as error:
                ended.append(error)
            assert nobody_waits()

    thread = threading.Thread(target=work)
    thread.start()
    wait_until(lambda: openai_server.asked, what="the server to be asked")
    recipient.leave()
    thread.join(10)

    assert not thread.is_alive() and len(ended) == 1


def test_nothing_is_asked_for_who_has_left(openai_server: OpenAIServer, ask: Callable[[], int]) -> None:
    recipient = Recipient()
    recipient.leave()

    with made_for(recipient), pytest.raises(httpx2.NetworkError, match="Nobody waits"):
        ask()
    assert openai_server.asked == 0


def test_who_leaves_when_all_was_heard_ends_nothing(
    openai_server: OpenAIServer, ask: Callable[[], int]
) -> None:
    recipient = Recipient()
    with made_for(recipient):
        assert ask() == 200
    recipient.leave()

    assert ask() == 200
    assert openai_server.connected == 1 and not nobody_waits()
