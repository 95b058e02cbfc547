"""Turns an operation into an HTTP request, and a response into an answer. Nothing here uses the network."""

import json
import random
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import parsedate_to_datetime
from enum import Enum
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, TypeVar
from urllib.parse import quote
from uuid import UUID, uuid4

import httpx

from rapport_client.errors import ProblemError, RapportError, problem_of

T = TypeVar("T")


class Unset(Enum):
    UNSET = "left out"


UNSET: Final = Unset.UNSET
Maybe: TypeAlias = T | Literal[Unset.UNSET]
Id: TypeAlias = UUID | str
Time: TypeAlias = datetime | str
Outcome: TypeAlias = httpx.Response | httpx.TransportError
File: TypeAlias = Any
"""A file as httpx takes it: an open file, bytes, or (name, bytes, media type)."""

IDEMPOTENCY = "Idempotency-Key"
CHECK = "Check the base URL, and what stands between here and the service."
ASKING = 300.0  # additional seconds for calls that ask a model
_SAFE = frozenset(("GET", "HEAD", "PUT", "DELETE"))
_PLACE = re.compile(r"{(\w+)}")
_LINE_END = re.compile(r"\r\n|\n|\r(?!\Z)")  # the first half of \r\n may be the end of a chunk
# Errors that may pass. After a 429 any call may be repeated, as nothing was done.
LATER = frozenset((502, 503, 504))
RECONNECT_AFTER = (
    1.0  # seconds before reconnecting, as in the service's `retry:`; one more after each failure
)
LONGEST_AWAY = 30.0
SILENCE = 45.0  # seconds after which a silent stream counts as broken; the service sends something every 15


@dataclass(frozen=True, slots=True)
class Operation:
    """One call of the REST API. `reading`: it is a POST that writes nothing. `asking`: it waits for a model."""

    method: str
    template: str
    path: Mapping[str, Any] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, Any] = field(default_factory=dict)
    json: Any = None
    form: Mapping[str, Any] | None = None
    content: bytes | None = None
    reading: bool = False
    asking: bool = False


@dataclass(frozen=True, slots=True)
class Prepared:
    """`again`: it may be repeated if it is unknown whether it arrived. `waits`: seconds added to the timeout."""

    method: str
    url: str
    arguments: dict[str, Any]
    again: bool
    waits: float


@dataclass(frozen=True, slots=True)
class Event:
    """A server-sent event; `data` is parsed if it is JSON."""

    name: str
    data: Any
    id: str | None = None


def prepare(operation: Operation) -> Prepared:
    url = _PLACE.sub(lambda place: quote(str(operation.path[place[1]]), safe=""), operation.template)
    headers = {name: _header(name, value) for name, value in _given(operation.headers).items()}
    if IDEMPOTENCY in operation.headers and IDEMPOTENCY not in headers:
        headers[IDEMPOTENCY] = str(uuid4()).encode()
    arguments: dict[str, Any] = {"headers": headers}
    query = {name: _plain(value) for name, value in _given(operation.query).items() if value is not None}
    if query:
        arguments["params"] = query
    if operation.form is not None:
        form = _given(operation.form)
        arguments["files"] = {"file": _upload(form.pop("file"))}
        arguments["data"] = form
    elif operation.content is not None:
        arguments["content"] = operation.content
    elif operation.json is not None:
        body = operation.json
        arguments["content"] = dump(_given(body) if isinstance(body, Mapping) else body)
        headers["Content-Type"] = b"application/json"
    again = operation.method in _SAFE or operation.reading or IDEMPOTENCY in headers
    waits = float(query.get("wait", 0)) + ASKING * operation.asking
    return Prepared(operation.method, url, arguments, again, waits)


def _upload(file: Any) -> Any:
    """Raises TypeError for a text, which would be taken for what the file says where it is meant as its path."""
    if isinstance(file, str):
        raise TypeError(
            "file: give a pathlib.Path, an open file, bytes, or (name, bytes); for a path, Path(...)"
        )
    return (file.name, file.read_bytes()) if isinstance(file, Path) else file


class Following:
    """A stream that reconnects when it ends or breaks, and continues after the last event that was seen.

    It gives up after `retries` failures until it was open once, and never after that.
    """

    def __init__(self, retries: int, template: str, relationship_id: Id, after: Maybe[str]) -> None:
        self._retries, self._template, self._id, self._last = retries, template, relationship_id, after
        self._in_vain, self._was_there = 0, False

    @property
    def operation(self) -> Operation:
        headers = {"Accept": "text/event-stream", "Last-Event-ID": self._last}
        return Operation("GET", self._template, path={"id": self._id}, headers=headers)

    def opened(self) -> None:
        self._in_vain, self._was_there = 0, True

    def take(self, event: Event) -> bool:
        """Remember the event's ID. Return whether the event has data."""
        self._last = event.id or self._last
        return bool(event.data != "")

    def pause(self, error: RapportError | None) -> float:
        """Return how many seconds to wait before reconnecting. Raises `error` if reconnecting is no use."""
        if error is not None:
            self._in_vain += 1
            lasting = isinstance(error, ProblemError) and error.status not in (429, *LATER)
            if lasting or (self._in_vain > self._retries and not self._was_there):
                raise error
        return min(RECONNECT_AFTER * max(1, self._in_vain), LONGEST_AWAY)


def dump(value: Any) -> bytes:
    written = json.dumps(value, default=_written, ensure_ascii=False, separators=(",", ":"))
    # Half a surrogate pair is sent as JSON's escape, so that the service can name its field.
    return written.encode(errors="backslashreplace")


def read(response: httpx.Response) -> Any:
    """Return the response's JSON, its bytes if it is something else, or None if it is empty. Raises ProblemError."""
    kind = response.headers.get("content-type", "")
    if response.status_code >= 400:
        told = f"{response.url} answered with a web page. {CHECK}" if "html" in kind else response.text
        raise problem_of(response.status_code, _or_text(told))
    if not response.content:
        return None
    return json.loads(response.content) if "json" in kind else response.content


def pause_before(attempt: int, prepared: Prepared, outcome: Outcome) -> float | None:
    """Return how many seconds to wait before retry number `attempt`; None if the call must not be repeated."""
    backoff = min(8.0, 0.25 * 2.0**attempt) * random.uniform(0.5, 1)  # noqa: S311
    if isinstance(outcome, httpx.TransportError):
        unsent = isinstance(outcome, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
        return backoff if unsent or prepared.again else None
    if outcome.status_code == 429 or (outcome.status_code in LATER and prepared.again):
        told = _seconds(outcome.headers.get("Retry-After", ""))
        return backoff if told is None else told
    return None


def _seconds(retry_after: str) -> float | None:
    """The wait that the header asks for, in seconds or until a date; None if it can't be read."""
    if retry_after.isdigit():
        return float(retry_after)
    try:
        date = parsedate_to_datetime(retry_after)
        return max(0.0, date.timestamp() - time.time())
    except (ValueError, OverflowError):
        return None


def in_parts(items: Iterable[T], *, most: int, room: int, size_of: Callable[[T], int]) -> Iterator[list[T]]:
    """Split the items into lists of at most `most` items and `room` of size, so that each fits into one request."""
    part, size = list[T](), 0
    for item in items:
        more = size_of(item)
        if part and (len(part) >= most or size + more > room):
            yield part
            part, size = [], 0
        part.append(item)
        size += more
    if part:
        yield part


class EventReader:
    """Parses a text/event-stream into events (WHATWG HTML, 9.2.6). Only \\r and \\n end a line: httpx's `iter_lines`
    also breaks it at characters that JSON may contain, such as U+2028.
    """

    def __init__(self) -> None:
        self._name, self._data, self._rest = "", list[str](), ""
        self.last_id: str | None = None

    def read(self, text: str) -> Iterator[Event]:
        """Yield the events that this next part of the stream completes."""
        *lines, self._rest = _LINE_END.split(self._rest + text)
        for line in lines:
            yield from self._line(line)

    def _line(self, line: str) -> Iterator[Event]:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if line == "":
            if self._data:
                yield Event(self._name or "message", _or_text("\n".join(self._data)), self.last_id)
            self._name, self._data = "", []
        elif name == "event":
            self._name = value
        elif name == "data":
            self._data.append(value)
        elif name == "id":
            self.last_id = value


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not UNSET}


def _header(name: str, value: Any) -> bytes:
    """As UTF-8, so that the service can say what is wrong with a value that is not ASCII."""
    return (f'"{value}"' if name == "If-Match" and isinstance(value, int) else str(value)).encode()


def _plain(value: Any) -> Any:
    """Write times as RFC 3339 and IDs as text, for JSON and URLs."""
    if isinstance(value, datetime):
        return value.astimezone().isoformat()
    return str(value) if isinstance(value, UUID) else value


def _written(value: Any) -> Any:
    plain = _plain(value)
    if plain is value:
        raise TypeError(f"{type(value).__name__} can't be sent as JSON.")
    return plain


def _or_text(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
