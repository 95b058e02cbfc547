"""Who leaves while a model is silent: its call ends at once, and what was said is kept."""

import json
import select
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from relationships.models import Message, Turn
from tests.acceptance.service import LiveService
from tests.vendor_servers.gemini_server import GeminiServer
from tests.vendor_servers.openai_server import OpenAIServer
from tests.vendor_servers.server import VendorServer
from tests.waiting import wait_until

SILENCE = 120  # seconds: longer than any of these tests may take
SERVERS = {"openai": OpenAIServer, "gemini": GeminiServer}


@pytest.fixture
def vendor() -> str:
    return "openai"


@pytest.fixture
def model(vendor: str) -> Iterator[VendorServer]:
    with SERVERS[vendor]() as server:
        yield server


@pytest.fixture
def service(live: LiveService, vendor: str, model: VendorServer) -> LiveService:
    """A web server whose companion `ada` is answered for by `model`, and which would bear its silence."""
    address = {"openai": "OPENAI_BASE_URL", "gemini": "GOOGLE_GEMINI_BASE_URL"}[vendor]
    live.settings |= {address: model.url, f"{vendor.upper()}_API_KEY": "k"}
    live.settings |= {"RAPPORT_PROVIDER_TIMEOUT": str(SILENCE), "RAPPORT_PROVIDER_DEADLINE": str(SILENCE)}
    live.companion_config = {
        "ingestion": {"provider": "offline"},
        "context": {"provider": vendor},
        "chat": {"tools": [], "max_seconds": SILENCE},
    }
    live.new_relationships(1)
    live.start_web(RAPPORT_WEB_PROCESSES="1")
    live.web.wait_until_it_answers()
    return live


def request_of(service: LiveService, *lines: str, **fields: Any) -> bytes:
    """As it goes over the wire. `lines`: of the head."""
    body = {"model": "ada", "user": "maya", "messages": [{"role": "user", "content": "Count."}], **fields}
    raw = json.dumps(body).encode()
    head = [
        "POST /v1/chat/completions HTTP/1.1",
        "Host: 127.0.0.1",
        f"Authorization: Bearer {service.new_api_key()}",
        "Content-Type: application/json",
        f"Content-Length: {len(raw)}",
        *lines,
    ]
    return "\r\n".join([*head, "", ""]).encode() + raw


@contextmanager
def waiting(service: LiveService, request: bytes) -> Iterator[socket.socket]:
    """A client that has sent it, until it leaves with the end of the block."""
    with socket.create_connection(("127.0.0.1", urlsplit(service.web.url).port), timeout=30) as client:
        client.sendall(request)
        yield client


def hear(client: socket.socket, word: str) -> None:
    """Until it was said."""
    heard = b""
    while word.encode() not in heard:
        heard += client.recv(65_536)


def hung_up(connection: socket.socket) -> bool:
    """Whether the client has, while it is being answered."""
    try:
        readable = select.select([connection], [], [], 0)[0]
        return bool(readable) and not connection.recv(1, socket.MSG_PEEK)
    except OSError:
        return True


def wait_until_the_model_is_asked(model: VendorServer) -> None:
    wait_until(lambda: model.asked == 1, what="the model to be asked")


def wait_until_the_model_is_left(model: VendorServer) -> None:
    wait_until(lambda: all(hung_up(one) for one in model.connections), what="the model's call to end")


def kept() -> tuple[bool, list[tuple[str, str]]]:
    """Whether the one turn was interrupted, and its messages."""
    turn = wait_until(Turn.objects.first, what="the turn")
    assert turn is not None and Turn.objects.count() == 1
    return turn.interrupted, list(Message.objects.order_by("seq").values_list("role", "content"))


@pytest.mark.parametrize("vendor", SERVERS)
def test_between_two_words(service: LiveService, model: VendorServer) -> None:
    model.push({"pieces": ["One", " two", " three"], "stall": 2})
    with waiting(service, request_of(service, stream=True)) as client:
        hear(client, "One")

    wait_until_the_model_is_left(model)

    interrupted, messages = kept()
    assert interrupted and messages[0] == ("user", "Count.")
    assert messages[1][1] in ("One", "One two")
    metrics = httpx.get(f"{service.web.url}/metrics").text
    assert "rapport_chat_interrupted_total 1.0" in metrics and "rapport_chat_open 0.0" in metrics


@pytest.mark.parametrize(("vendor", "streamed"), [("openai", True), ("openai", False), ("gemini", True)])
def test_before_the_first_word(service: LiveService, model: VendorServer, streamed: bool) -> None:
    model.push({"delay": SILENCE})
    with waiting(service, request_of(service, stream=streamed)):
        wait_until_the_model_is_asked(model)

    wait_until_the_model_is_left(model)

    assert kept() == (True, [("user", "Count.")])


def test_amid_a_whole_reply_which_was_none_then(service: LiveService, model: VendorServer) -> None:
    model.push({"pieces": ["One", " two", " three"], "stall": 2})
    with waiting(service, request_of(service)):
        wait_until_the_model_is_asked(model)

    wait_until_the_model_is_left(model)

    assert kept() == (True, [("user", "Count.")])


def test_who_named_a_whole_call_can_come_back_for_its_reply(
    service: LiveService, model: VendorServer
) -> None:
    model.push({"pieces": ["One", " two"], "delay": 2})
    request = request_of(service, "Idempotency-Key: once")
    with waiting(service, request):
        wait_until_the_model_is_asked(model)

    assert kept() == (False, [("user", "Count."), ("assistant", "One two")])
    with waiting(service, request) as client:
        hear(client, "One two")
    assert model.asked == 1
