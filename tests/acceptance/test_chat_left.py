"""Who leaves while a model is silent, or speaks: its call ends at once, and what was said is kept."""

import json
import re
import select
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from pytest_django.plugin import DjangoDbBlocker

from relationships.models import Message, Turn
from tests.acceptance.database import LiveDatabase
from tests.acceptance.service import LiveService, service_on
from tests.vendor_servers.gemini_server import GeminiServer
from tests.vendor_servers.openai_server import OpenAIServer
from tests.vendor_servers.server import VendorServer
from tests.waiting import wait_until

SILENCE = 120  # seconds: longer than any of these tests may take
ADDRESSES = {"openai": "OPENAI_BASE_URL", "gemini": "GOOGLE_GEMINI_BASE_URL"}


@pytest.fixture(scope="module")
def models() -> Iterator[dict[str, VendorServer]]:
    with OpenAIServer() as openai, GeminiServer() as gemini:
        yield {"openai": openai, "gemini": gemini}


@pytest.fixture(scope="module")
def patient(
    models: dict[str, VendorServer],
    live_database: LiveDatabase,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[LiveService]:
    """A web server that would bear the silence of `models`."""
    folder = tmp_path_factory.mktemp("left")
    with django_db_blocker.unblock(), service_on(live_database, folder) as service:
        service.settings |= {name: models[vendor].url for vendor, name in ADDRESSES.items()}
        service.settings |= dict.fromkeys(("OPENAI_API_KEY", "GEMINI_API_KEY"), "k")
        service.settings |= dict.fromkeys(
            ("RAPPORT_PROVIDER_TIMEOUT", "RAPPORT_PROVIDER_DEADLINE"), str(SILENCE)
        )
        service.start_web(RAPPORT_WEB_PROCESSES="1")
        service.web.wait_until_it_answers()
        yield service


@pytest.fixture
def vendor() -> str:
    return "openai"


@pytest.fixture
def model(vendor: str, models: dict[str, VendorServer]) -> VendorServer:
    """As if nobody had asked it yet."""
    models[vendor].clear()
    models[vendor].hang_up()
    return models[vendor]


@pytest.fixture
def service(patient: LiveService, vendor: str, model: VendorServer) -> LiveService:
    """A project of its own, whose companion `ada` is answered for by `model`."""
    service = patient.with_a_project_of_its_own()
    service.companion_config = {
        "ingestion": {"provider": "offline"},
        "context": {"provider": vendor},
        "chat": {"tools": [], "max_seconds": SILENCE},
    }
    service.new_relationships(1)
    return service


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


def kept(service: LiveService) -> tuple[bool, list[tuple[str, str]]]:
    """Whether the one turn was interrupted, and its messages."""
    turns = Turn.objects.filter(project_id=service.project.id)
    turn = wait_until(turns.first, what="the turn")
    assert turn is not None and turns.count() == 1
    said = Message.objects.filter(project_id=service.project.id).order_by("seq")
    return turn.interrupted, list(said.values_list("role", "content"))


def chats(service: LiveService) -> dict[str, float]:
    """What the server counts of them."""
    told = httpx.get(f"{service.web.url}/metrics").text
    return {
        name: float(value) for name, value in re.findall(r"^rapport_chat_(\w+) ([\d.]+)$", told, re.MULTILINE)
    }


@pytest.mark.parametrize("vendor", ADDRESSES)
def test_between_two_words(service: LiveService, model: VendorServer) -> None:
    model.push({"pieces": ["One", " two", " three"], "stall": 2})
    before = chats(service).get("interrupted_total", 0)
    with waiting(service, request_of(service, stream=True)) as client:
        hear(client, "One")

    wait_until_the_model_is_left(model)

    interrupted, messages = kept(service)
    assert interrupted and messages[0] == ("user", "Count.")
    assert messages[1][1] in ("One", "One two")
    counted = chats(service)
    assert (counted["interrupted_total"], counted["open"]) == (before + 1, 0)


def test_while_the_model_speaks_on(service: LiveService, model: VendorServer) -> None:
    words = [f"word{number} " for number in range(20)]
    model.push({"pieces": words, "pause": 0.05})
    with waiting(service, request_of(service, stream=True)) as client:
        hear(client, "word0")

    interrupted, messages = kept(service)

    assert interrupted and messages[0] == ("user", "Count.")
    assert "".join(words).startswith(messages[1][1]) and len(messages[1][1].split()) < len(words)


@pytest.mark.parametrize(("vendor", "streamed"), [("openai", True), ("openai", False), ("gemini", True)])
def test_before_the_first_word(service: LiveService, model: VendorServer, streamed: bool) -> None:
    model.push({"delay": SILENCE})
    with waiting(service, request_of(service, stream=streamed)):
        wait_until_the_model_is_asked(model)

    wait_until_the_model_is_left(model)

    assert kept(service) == (True, [("user", "Count.")])


def test_amid_a_whole_reply_which_was_none_then(service: LiveService, model: VendorServer) -> None:
    model.push({"pieces": ["One", " two", " three"], "stall": 2})
    with waiting(service, request_of(service)):
        wait_until_the_model_is_asked(model)

    wait_until_the_model_is_left(model)

    assert kept(service) == (True, [("user", "Count.")])


def test_who_named_a_whole_call_can_come_back_for_its_reply(
    service: LiveService, model: VendorServer
) -> None:
    model.push({"pieces": ["One", " two"], "delay": 2})
    request = request_of(service, "Idempotency-Key: once")
    with waiting(service, request):
        wait_until_the_model_is_asked(model)

    assert kept(service) == (False, [("user", "Count."), ("assistant", "One two")])
    with waiting(service, request) as client:
        hear(client, "One two")
    assert model.asked == 1
