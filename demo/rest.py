"""A small REST client for the demo."""

from collections.abc import Iterator, Mapping
from typing import Any, Self

import httpx2

from demo.errors import DemoFailed, RequestFailed

PATIENCE_SECONDS = 60.0  # longer than the longest `?wait`


class Rest:
    """A client of one service with one key. Paths are below /v1. Every method raises DemoFailed, RequestFailed."""

    def __init__(self, url: str, key: str, *, transport: httpx2.BaseTransport | None = None) -> None:
        self.url, self.key = url, key
        self._client = httpx2.Client(
            base_url=f"{url}/v1",
            headers={"Authorization": f"Bearer {key}"},
            timeout=PATIENCE_SECONDS,
            transport=transport,
            trust_env=False,  # no proxy for our own machine
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def get(self, path: str, **query: str | int) -> dict[str, Any]:
        return self._send("GET", path, params=query)

    def post(
        self, path: str, body: Mapping[str, Any], *, idempotency_key: str = "", **query: str | int
    ) -> dict[str, Any]:
        headers = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
        return self._send("POST", path, json=body, params=query, headers=headers)

    def patch(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        return self._send("PATCH", path, json=body)

    def delete(self, path: str) -> None:
        self._send("DELETE", path)

    def every(self, path: str, **query: str | int) -> Iterator[dict[str, Any]]:
        """Yield the items of a list, page by page."""
        cursor: dict[str, str] = {}
        while True:
            page = self.get(path, **{"limit": 200, **query, **cursor})
            yield from page["items"]
            if not page["next_cursor"]:
                return
            cursor = {"cursor": page["next_cursor"]}

    def _send(self, method: str, path: str, **request: Any) -> dict[str, Any]:
        try:
            response = self._client.request(method, path, **request)
        except httpx2.HTTPError as error:
            raise DemoFailed(
                f"{method} /v1{path} got no answer ({type(error).__name__}: {error})."
            ) from error
        if response.is_error:
            raise RequestFailed(response.status_code, f"{method} /v1{path}: {_detail(response)}")
        answer: dict[str, Any] = response.json() if response.content else {}
        return answer


def _detail(response: httpx2.Response) -> str:
    try:
        problem = response.json()
        fields = "".join(f" {line['field']}: {line['detail']}." for line in problem.get("errors", ()))
        return f"{response.status_code} {problem['detail']}{fields}"
    except (ValueError, KeyError, TypeError, AttributeError):
        return f"{response.status_code}"
