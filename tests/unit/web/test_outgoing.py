"""A developer's address must not open the operator's network, hold a worker for ever, or fill its memory."""

import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from ipaddress import ip_address
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from tests.loopback import Loopback
from web.outgoing import OutgoingError, OutgoingTimeout, call, refuse_address


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("location", "http://127.0.0.1:1/")
            self.send_header("content-length", "0")
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("x-told", self.headers["x-asked"] or "")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.path == "/slow":
            for byte in body:
                self.wfile.write(bytes([byte]))
                if self.server.over.wait(0.05):  # type: ignore[attr-defined]
                    return
        else:
            self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def address() -> Iterator[str]:
    with Loopback(_Handler) as server:
        server.over = threading.Event()  # type: ignore[attr-defined]
        yield server.url
        server.over.set()  # type: ignore[attr-defined]


@pytest.fixture
def inward(settings: Settings) -> None:
    settings.ALLOW_PRIVATE_ADDRESSES = True


@pytest.mark.usefixtures("inward")
def test_an_answer_has_status_headers_and_body(address: str) -> None:
    answer = call("POST", f"{address}/", headers={"X-Asked": "é"}, body=b"words")

    assert (answer.status, answer.body, answer.truncated) == (200, b"words", False)
    assert answer.headers["x-told"] == "é".encode().decode("latin-1")


@pytest.mark.usefixtures("inward")
def test_a_long_answer_ends_at_the_limit(address: str) -> None:
    answer = call("POST", f"{address}/", body=b"x" * 300_000, largest=1000)

    assert (len(answer.body), answer.truncated) == (1000, True)


@pytest.mark.usefixtures("inward")
def test_an_answer_by_the_byte_is_over_with_the_time_of_the_call(address: str) -> None:
    with pytest.raises(OutgoingError, match=r"within 0\.3 seconds"):
        call("POST", f"{address}/slow", body=b"x" * 1000, seconds=0.3)


@pytest.mark.usefixtures("inward")
def test_a_redirect_is_an_answer_and_is_not_followed(address: str) -> None:
    assert call("POST", f"{address}/moved").status == 302


@pytest.mark.parametrize(
    "host",
    "127.0.0.1 localhost [::1] 10.1.2.3 192.168.0.1 169.254.169.254 [fd00::1] [fe80::1] 100.64.0.1 0.0.0.0 [::] "
    "[::ffff:10.0.0.1] [2002:0a00:0001::] [64:ff9b::a00:1] [64:ff9b:1::a00:1] [::10.0.0.1] [::ffff:0:10.0.0.1] [::ffff:224.0.0.1] "
    "224.0.0.1 2130706433".split(),
)
def test_an_address_of_a_private_network_is_refused_before_any_connection(host: str) -> None:
    with pytest.raises(OutgoingError, match=r"private network|not known") as caught:
        call("GET", f"http://{host}:9/")

    assert caught.value.refused or "not known" in str(caught.value)


def test_a_name_that_has_one_private_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (number, 80)) for number in ("1.1.1.1", "10.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)

    with pytest.raises(OutgoingError, match="private network"):
        call("GET", "http://hooks.example/")


def test_a_name_server_that_does_not_answer_ends_the_call_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: gone.wait(30) and [])
    began = time.monotonic()
    try:
        with pytest.raises(OutgoingTimeout, match=r"within 0\.2 seconds"):
            call("GET", "http://hooks.example/", seconds=0.2)
        assert time.monotonic() - began < 15
    finally:
        gone.set()


@pytest.mark.usefixtures("inward")
def test_the_number_that_was_checked_is_called_though_the_name_resolves_anew(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = int(address.rpartition(":")[2])
    answers = iter(["127.0.0.1", "192.0.2.1"])
    real = socket.getaddrinfo

    def resolve(host: str, *args: Any, **kwargs: Any) -> Any:
        if host != "hooks.example":
            assert ip_address(host)  # only numbers reach the network
            return real(host, *args, **kwargs)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(answers), port))]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)

    assert call("POST", f"http://hooks.example:{port}/", body=b"words").body == b"words"


@pytest.mark.parametrize("url", ["", "hooks.example", "file:///etc/passwd", "ftp://a.example/", "http://"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(OutgoingError) as caught:
        call("GET", url)

    assert caught.value.refused


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "https://[::1]/",
        "http://sub.localhost/",
        "http://192.0.0.192/",
        "http://168.63.129.16/",
        "http://[::ffff:168.63.129.16]/",
        "http://[fec0::1]/",
        "http://[64:ff9b:1:a00:1::]/",
        "http://[5f00::1]/",
    ],
)
def test_a_private_address_can_be_refused_when_it_is_given(url: str) -> None:
    with pytest.raises(OutgoingError, match="private network"):
        refuse_address(url)


def test_a_public_name_is_not_asked_for_when_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: pytest.fail("the name server was asked"))

    refuse_address("https://hooks.example/turns")
