"""One thread's connection: a request, its answer, and whether that is one that may be."""

import json
from http.client import HTTPConnection, HTTPException
from time import perf_counter
from typing import Any


class Unexpected(Exception):
    """An answer that should not be. Says which."""


class Caller:
    """Kept alive. `milliseconds` are those of the requests since `begin`."""

    def __init__(self, host: str, port: int, key: str) -> None:
        self._connection = HTTPConnection(host, port, timeout=60)
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        self.milliseconds = 0.0

    def begin(self) -> None:
        self.milliseconds = 0.0

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        expected: tuple[int, ...] = (200,),
        key: str | None = None,
        content_type: str | None = None,
    ) -> Any:
        """The answer's JSON; None where it has none. Raises Unexpected."""
        headers = self._headers | ({"Idempotency-Key": key} if key else {})
        if content_type:
            headers["Content-Type"] = content_type
        began = perf_counter()
        try:
            self._connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = self._connection.getresponse()
            text = answer.read()
        except (OSError, HTTPException) as error:
            self._connection.close()
            raise Unexpected(f"{method} {_shape(path)}: {type(error).__name__}") from error
        finally:
            self.milliseconds += (perf_counter() - began) * 1000
        if answer.status not in expected:
            raise Unexpected(
                f"{method} {_shape(path)}: {answer.status} {text[:200].decode(errors='replace')}"
            )
        return json.loads(text) if text else None


def _shape(path: str) -> str:
    """Without its IDs."""
    return "/".join("{id}" if len(part) == 36 else part for part in path.split("/"))
