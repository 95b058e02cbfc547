"""Requests to the measured service: a load of many, or one after the other."""

import json
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

import httpx

from benchmarks.load import Load
from benchmarks.timing import percentile

_LOADS = ThreadPoolExecutor()  # each thread only waits for the process of its load


class Unexpected(Exception):
    """An unexpected answer, or none. The message says which."""


@dataclass(frozen=True, slots=True)
class Answers:
    """The result of a load. `firsts`: milliseconds to each first mark; `cpu_seconds`: of the load generator."""

    seconds: float
    cpu_seconds: float
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

    def require(self, status: int) -> "Answers":
        """Return itself if every answer had this status. Raises AssertionError."""
        if set(self.statuses) != {status}:
            raise AssertionError(f"unexpected answers: {self.statuses}")
        return self


class Client:
    """An address and a key, for several threads at once."""

    def __init__(self, host: str, port: int, key: str) -> None:
        self.host, self.port, self.key = host, port, key
        headers = {"Authorization": f"Bearer {key}"}
        url = f"http://{host}:{port}"
        self._http = httpx.Client(base_url=url, headers=headers, timeout=60, trust_env=False)

    def request(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> str:
        """A whole HTTP request as ASCII text, for a load."""
        content = json.dumps(body) if body is not None else ""
        lines = [
            f"{method} {path} HTTP/1.1",
            f"Host: {self.host}:{self.port}",
            f"Authorization: Bearer {self.key}",
        ]
        if body is not None:
            lines += ["Content-Type: application/json", f"Content-Length: {len(content)}"]
        return "\r\n".join([*lines, "", content])

    def start(self, requests: list[str], *, connections: int, **limits: Any) -> Future[Answers]:
        """Begin a load; `limits`: the other fields of Load."""
        return _LOADS.submit(_drive, Load(self.host, self.port, requests, connections, **limits))

    def drive(self, requests: list[str], *, connections: int, **limits: Any) -> Answers:
        """A load from beginning to end."""
        return _drive(Load(self.host, self.port, requests, connections, **limits))

    def ask(self, method: str, path: str, body: Any = None, *, key: str | None = None) -> Any:
        """One call; returns the answer's JSON, or None if it is empty. `key`: an idempotency key. Raises Unexpected."""
        what = f"{method} {'/'.join('{id}' if len(part) == 36 else part for part in path.split('/'))}"
        headers = {"Idempotency-Key": key} if key else None
        try:
            answer = self._http.request(method, path, json=body, headers=headers)
        except httpx.HTTPError as error:
            raise Unexpected(f"{what}: {type(error).__name__}") from error
        if not answer.is_success:
            raise Unexpected(f"{what}: {answer.status_code} {answer.text[:200]}")
        return answer.json() if answer.content else None


def _drive(load: Load) -> Answers:
    """Run the load generator. Raises CalledProcessError if it fails; its message is on standard error."""
    command = [sys.executable, "-m", "benchmarks.load"]
    told = subprocess.run(
        command, input=json.dumps(asdict(load)), stdout=subprocess.PIPE, text=True, check=True
    )
    answers = json.loads(told.stdout)
    return Answers(**answers | {"statuses": {int(one): n for one, n in answers["statuses"].items()}})
