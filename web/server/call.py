"""Run the WSGI application on a completely read request, and store its answer until the client has received it."""

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from web.deferred import LATER
from web.server.body import IN_MEMORY

Headers = list[tuple[bytes, bytes]]
Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
_STREAM = b"text/event-stream"
# Variables without the prefix HTTP_, and headers that are dropped, as they could be mistaken for the server's values.
_PLAIN = {"content-type": "CONTENT_TYPE", "content-length": "CONTENT_LENGTH"}
_LEFT_OUT = frozenset(("content-length", "transfer-encoding", "expect", "proxy"))


@dataclass(slots=True)
class Answer:
    """An answer with one of `body`, `file` (at its beginning; the sender closes it), or `stream`, yet to be run.

    `later`: `finish` has yet to make the answer; if `made_to_the_end`, it does so even after the client has left.
    `runner`: runs a stream in a thread that exists already. `leave`: must be called when the client leaves.
    """

    status: int
    headers: Headers
    body: bytes = b""
    file: IO[bytes] | None = None
    stream: Iterable[bytes] | None = None
    later: Callable[[], Any] | None = None
    made_to_the_end: bool = False
    leave: Callable[[], None] | None = None
    runner: Callable[[Callable[[], None]], None] | None = None


def environ_of(scope: Any, body: IO[bytes], length: int | None, *, proxies: int) -> dict[str, Any]:
    """PEP 3333's environment. `length`: the body's, in bytes; None: there is no body."""
    address, port = scope.get("client") or ("", 0)
    host, server_port = scope.get("server") or ("localhost", 80)
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": scope["path"].encode("utf-8", "surrogateescape").decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": host,
        "SERVER_PORT": str(server_port),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": address,
        "REMOTE_PORT": str(port),
        "wsgi.version": (1, 0),
        "wsgi.input": body,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
        "wsgi.input_terminated": True,
        LATER: True,
    }
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        if name in _LEFT_OUT or "_" in name:
            continue
        variable = _PLAIN.get(name) or "HTTP_" + name.upper().replace("-", "_")
        known = environ.get(variable)
        separator = "; " if name == "cookie" else ","
        environ[variable] = value if known is None else f"{known}{separator}{value}"
    if length is not None:
        environ["CONTENT_LENGTH"] = str(length)
    trusted = proxies > 0 or address in ("127.0.0.1", "::1")
    secure = trusted and environ.get("HTTP_X_FORWARDED_PROTO") == "https"
    environ["wsgi.url_scheme"] = "https" if secure else scope["scheme"]
    return environ


def call(application: Application, environ: dict[str, Any]) -> Answer:
    """Run the application to its end; of a stream (text/event-stream) only up to its first byte."""
    told: list[tuple[int, Headers]] = []

    def start_response(
        status: str, headers: list[tuple[str, str]], exc_info: Any = None
    ) -> Callable[[bytes], None]:
        told[:] = [(int(status[:3]), _encoded(headers))]
        return _no_write

    parts = application(environ, start_response)
    later = getattr(parts, "later", None)
    if later is not None:
        parts.close()  # type: ignore[attr-defined]  # a response of Django's
        return Answer(*told[0], later=later, made_to_the_end=parts.made_to_the_end)  # type: ignore[attr-defined]
    if told and _is_stream(told[0][1]):
        return Answer(*told[0], stream=parts)
    try:
        body, file, length = _collect(parts)
    finally:
        close = getattr(parts, "close", None)
        if close is not None:
            close()
    status, headers = told[0]
    if status not in (204, 304) and not any(name == b"content-length" for name, _ in headers):
        headers.append((b"content-length", str(length).encode()))
    return Answer(status, headers, body, file)


def finish(answer: Answer) -> Answer:
    """Make the answer of a LaterResponse: a Django response, with the headers of the first one."""
    assert answer.later is not None
    made = answer_of(answer.later())
    names = {name for name, _ in made.headers} | {b"content-type", b"content-length"}
    made.headers[:0] = [line for line in answer.headers if line[0] not in names]
    return made


def answer_of(response: Any) -> Answer:
    """The answer that is a response of Django's."""
    headers = _encoded(response.items())
    if response.streaming:
        return Answer(response.status_code, headers, stream=response)
    headers.append((b"content-length", str(len(response.content)).encode()))
    return Answer(response.status_code, headers, response.content)


def _encoded(headers: Iterable[tuple[str, str]]) -> Headers:
    return [(name.lower().encode("latin-1"), value.encode("latin-1", "replace")) for name, value in headers]


def _is_stream(headers: Headers) -> bool:
    return any(name == b"content-type" and value.startswith(_STREAM) for name, value in headers)


def _collect(parts: Iterable[bytes]) -> tuple[bytes, IO[bytes] | None, int]:
    """Collect the body in memory or, if it is large, in a file, so that slow readers cost no memory; and its length."""
    file: IO[bytes] | None = None
    small: list[bytes] = []
    length = 0
    for part in parts:
        length += len(part)
        if file is None and length > IN_MEMORY:
            file = SpooledTemporaryFile(max_size=1)  # noqa: SIM115 - closed when the answer is sent
            for earlier in small:
                file.write(earlier)
            small.clear()
        if file is None:
            small.append(part)
        else:
            file.write(part)
    if file is None:
        return b"".join(small), None, length
    file.seek(0)
    return b"", file, length


def _no_write(data: bytes) -> None:
    raise NotImplementedError("The `write` of PEP 3333 is not used by Django.")
