"""Requests to the service under measurement, and the load generator's process."""

import json
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from typing import Any

from benchmarks.load import Load
from benchmarks.timing import percentile


@dataclass(frozen=True, slots=True)
class Client:
    """An address and a key."""

    host: str
    port: int
    key: str

    def request(self, method: str, path: str, body: dict[str, Any] | None = None) -> str:
        """A whole HTTP request as text; ASCII, so that its length is its bytes."""
        content = json.dumps(body) if body is not None else ""
        lines = [
            f"{method} {path} HTTP/1.1",
            f"Host: {self.host}:{self.port}",
            f"Authorization: Bearer {self.key}",
        ]
        if body is not None:
            lines += ["Content-Type: application/json", f"Content-Length: {len(content)}"]
        return "\r\n".join([*lines, "", content])

    def start(self, requests: list[str], *, connections: int, **limits: Any) -> "Running":
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

    def drive(self, requests: list[str], *, connections: int, **limits: Any) -> "Answers":
        """A load from beginning to end."""
        return self.start(requests, connections=connections, **limits).finish()


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
