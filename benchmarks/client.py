"""Requests to the service under measurement: a load of many, or one after the other."""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import httpx

from benchmarks.load import Load
from benchmarks.timing import percentile


class Unexpected(Exception):
    """An answer that should not be. Says which."""


@dataclass(frozen=True, slots=True)
class Answers:
    """What a load brought, in milliseconds; `firsts`: until each answer's first mark."""

    seconds: float
    cpu_seconds: float  # the load generator's own
    milliseconds: list[float]
    firsts: list[float]
    statuses: dict[int, int]

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

    def __init__(self, load: Load) -> None:
        command = [sys.executable, "-m", "benchmarks.load"]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
        assert self._process.stdin is not None
        json.dump(asdict(load), self._process.stdin)
        self._process.stdin.close()

    def finish(self) -> Answers:
        assert self._process.stdout is not None
        with self._process.stdout as output:
            told = output.read()
        if self._process.wait():
            raise RuntimeError("The load generator failed; its message is above.")
        answers = json.loads(told)
        return Answers(**answers | {"statuses": {int(one): n for one, n in answers["statuses"].items()}})


class Client:
    """An address and a key, for several threads at once."""

    def __init__(self, host: str, port: int, key: str) -> None:
        self.host, self.port, self.key = host, port, key
        headers = {"Authorization": f"Bearer {key}"}
        url = f"http://{host}:{port}"
        self._http = httpx.Client(base_url=url, headers=headers, timeout=60, trust_env=False)

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
        return Running(Load(self.host, self.port, requests, connections, **limits))

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
        what = f"{method} {'/'.join('{id}' if len(part) == 36 else part for part in path.split('/'))}"
        try:
            answer = self._http.request(
                method, path, json=body, headers={"Idempotency-Key": key} if key else None
            )
        except httpx.HTTPError as error:
            raise Unexpected(f"{what}: {type(error).__name__}") from error
        if answer.status_code not in expected:
            raise Unexpected(f"{what}: {answer.status_code} {answer.text[:200]}")
        return answer.json() if answer.content else None
