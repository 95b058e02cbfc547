from collections.abc import Callable, Iterable
from io import BytesIO
from typing import Any

import pytest

from web.server.body import IN_MEMORY
from web.server.call import Answer, call, environ_of


def scope(**told: Any) -> dict[str, Any]:
    return {
        "method": "GET",
        "path": "/",
        "query_string": b"",
        "http_version": "1.1",
        "scheme": "http",
        "client": ("192.0.2.7", 4711),
        "server": ("192.0.2.1", 80),
        "headers": [],
        **told,
    }


def environ(length: int | None = 0, *, proxies: int = 0, **told: Any) -> dict[str, Any]:
    return environ_of(scope(**told), BytesIO(), length, proxies=proxies)


def test_a_path_and_a_header_beyond_ascii_reach_django_as_wsgi_wants_them() -> None:
    made = environ(path="/é/日本", query_string=b"q=%C3%A9", headers=[(b"idempotency-key", "é".encode())])

    assert made["PATH_INFO"].encode("latin-1").decode() == "/é/日本"
    assert made["QUERY_STRING"] == "q=%C3%A9"
    assert made["HTTP_IDEMPOTENCY_KEY"].encode("latin-1").decode() == "é"


def test_a_header_that_comes_twice_is_joined() -> None:
    made = environ(headers=[(b"accept", b"a"), (b"accept", b"b"), (b"cookie", b"c=1"), (b"cookie", b"d=2")])

    assert (made["HTTP_ACCEPT"], made["HTTP_COOKIE"]) == ("a,b", "c=1; d=2")


def test_a_header_can_not_pass_for_another_one_or_for_the_body_s_length() -> None:
    headers = [(b"x_forwarded_for", b"1.2.3.4"), (b"content-length", b"999"), (b"proxy", b"http://evil")]

    made = environ(length=5, headers=headers)

    assert not any(name.startswith("HTTP_") for name in made)
    assert made["CONTENT_LENGTH"] == "5"


@pytest.mark.parametrize(
    ("client", "proxies", "scheme"),
    [("192.0.2.7", 0, "http"), ("192.0.2.7", 1, "https"), ("127.0.0.1", 0, "https")],
    ids=["a stranger's word", "behind a proxy", "from this machine"],
)
def test_https_is_believed_of_a_proxy_only(client: str, proxies: int, scheme: str) -> None:
    made = environ(proxies=proxies, client=(client, 1), headers=[(b"x-forwarded-proto", b"https")])

    assert made["wsgi.url_scheme"] == scheme


class Parts(list[bytes]):
    closed = False

    def close(self) -> None:
        self.closed = True


def answered(parts: Iterable[bytes], *headers: tuple[str, str], status: str = "200 OK") -> Answer:
    def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        start_response(status, list(headers))
        return parts

    return call(application, {})


def test_a_small_answer_stays_in_memory_and_says_how_long_it_is() -> None:
    parts = Parts([b"some", b"thing"])

    answer = answered(parts, ("Content-Type", "text/plain"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"))

    assert (answer.status, answer.body, answer.file) == (200, b"something", None)
    assert answer.headers == [
        (b"content-type", b"text/plain"),
        (b"set-cookie", b"a=1"),
        (b"set-cookie", b"b=2"),
        (b"content-length", b"9"),
    ]
    assert parts.closed


def test_an_answer_without_a_body_is_left_without_a_length() -> None:
    assert answered([], status="304 Not Modified").headers == []


def test_a_large_answer_goes_to_a_file_part_by_part() -> None:
    parts = [b"x" * IN_MEMORY, b"y" * 10]

    answer = answered(parts)

    assert answer.file is not None
    with answer.file as file:
        assert file.read() == b"".join(parts)
    assert answer.body == b""
    assert answer.headers == [(b"content-length", str(IN_MEMORY + 10).encode())]


def test_an_answer_that_breaks_off_is_closed_and_none_at_all() -> None:
    class Broken(Parts):
        def __iter__(self) -> Any:
            raise RuntimeError("in the middle")

    parts = Broken()
    with pytest.raises(RuntimeError):
        answered(parts)
    assert parts.closed


def test_a_stream_is_not_run_before_there_is_somebody_to_send_it_to() -> None:
    answer = answered(Parts([b"data: 1"]), ("Content-Type", "text/event-stream"))

    assert isinstance(answer.stream, Parts)
    assert not answer.stream.closed
