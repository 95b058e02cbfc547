"""Requests to the service under measurement: a load of many, or one after the other."""

import json
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from http.client import HTTPConnection, HTTPException
from time import monotonic
from typing import Any

from benchmarks.load import Load
from benchmarks.timing import percentile

_IDLE_SECONDS = 30.0  # the web server closes a connection after 75


class Unexpected(Exception):
    """An answer that should not be. Says which."""


@dataclass(frozen=True, slots=True)
class Answers:
    """What a load brought: latencies in milliseconds, and how many answers had which status."""

    seconds: float
    cpu_seconds: float  # the load generator's own
    milliseconds: list[float]
    statuses: dict[int, int] = field(default_factory=dict)

    @property
    def per_second(self) -> float:
        return len(self.milliseconds) / self.seconds

    @property
    def p50(self) -> float:
        return percentile(self.milliseconds, 0.5)

    @property
    def p99(self) -> float:
        return percentile(self.milliseconds, 0.99)

    def require(self, *statuses: int) -> "Answers":
        """Itself, if every answer had one of these. Raises AssertionError: a figure of errors is worth nothing."""
        if set(self.statuses) - set(statuses):
            raise AssertionError(f"unexpected answers: {self.statuses}")
        return self


class Running:
    """A load on its way."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def finish(self) -> Answers:
        assert self._process.stdout is not None
        with self._process.stdout as output:
            told = output.read()
        if self._process.wait():
            raise RuntimeError("The load generator failed; its message is above.")
        answers = json.loads(told)
        answers["statuses"] = {int(status): count for status, count in answers["statuses"].items()}
        return Answers(**answers)


class Client:
    """An address and a key. Each thread has a connection of its own, which is kept."""

    def __init__(self, host: str, port: int, key: str) -> None:
        self.host, self.port, self.key = host, port, key
        self._local = threading.local()

    def request(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> str:
        """A whole HTTP request as text, for a load; ASCII, so that its length is its bytes."""
        content = json.dumps(body) if body is not None else ""
        lines = [
            f"{method} {path} HTTP/1.1",
            f"Host: {self.host}:{self.port}",
            f"Authorization: Bearer {self.key}",
        ]
        if body is not None:
            lines += ["Content-Type: application/json", f"Content-Length: {len(content)}"]
        return "\r\n".join([*lines, "", content])

    def start(self, requests: list[str], *, connections: int, **limits: Any) -> Running:
        """Begin a load; `limits` are those of Load."""
        load = Load(self.host, self.port, requests, connections, **limits)
        process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.load"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdin is not None
        json.dump(asdict(load), process.stdin)
        process.stdin.close()
        return Running(process)

    def drive(self, requests: list[str], *, connections: int, **limits: Any) -> Answers:
        """A load from beginning to end."""
        return self.start(requests, connections=connections, **limits).finish()

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        expected: tuple[int, ...] = (200, 201, 202, 204),
        key: str | None = None,
    ) -> Any:
        """One call: the answer's JSON; None where it has none. `key` makes it idempotent. Raises Unexpected."""
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        headers |= {"Idempotency-Key": key} if key else {}
        connection = self._connection()
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            text = answer.read()
        except (OSError, HTTPException) as error:
            connection.close()
            raise Unexpected(f"{method} {_without_ids(path)}: {type(error).__name__}") from error
        if answer.status not in expected:
            said = text[:200].decode(errors="replace")
            raise Unexpected(f"{method} {_without_ids(path)}: {answer.status} {said}")
        return json.loads(text) if text else None

    def _connection(self) -> HTTPConnection:
        """This thread's own; a new one where it lay idle so long that the server may close it."""
        now = monotonic()
        if now - getattr(self._local, "used_at", -_IDLE_SECONDS) >= _IDLE_SECONDS:
            self._local.connection = HTTPConnection(self.host, self.port, timeout=60)
        self._local.used_at = now
        connection: HTTPConnection = self._local.connection
        return connection


def _without_ids(path: str) -> str:
    return "/".join("{id}" if len(part) == 36 else part for part in path.split("/"))
