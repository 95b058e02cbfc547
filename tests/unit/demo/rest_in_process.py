"""The real REST API in this process, for its clients: without a socket, and with the worker's part done at once."""

import re
from uuid import UUID

import httpx2
import pytest
from django.test import Client

from demo.rest import Rest
from memory.ingestion.pipeline import drain_relationship

_TURNS = re.compile(r"/v1/relationships/([0-9a-f-]{36})/turns$")
_FORWARDED = ("Authorization", "Idempotency-Key")
ADDRESS = "http://localhost"


class InProcess(httpx2.BaseTransport):
    """Passes requests to Django. After a POST of turns they are read, but not after the first `idle_posts`."""

    def __init__(self) -> None:
        self._django = Client()
        self.posts = self.idle_posts = 0

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        found = _TURNS.match(request.url.path)
        posted = found if request.method == "POST" else None
        if posted:
            self.posts += 1
            request.url = request.url.copy_remove_param("wait")  # nothing would wake the waiter here
        answer = self._django.generic(
            request.method,
            request.url.raw_path.decode(),
            request.read(),
            content_type=request.headers.get("Content-Type", "application/json"),
            headers={name: request.headers[name] for name in _FORWARDED if name in request.headers},
        )
        if posted and self.posts > self.idle_posts:
            drain_relationship(relationship_id=UUID(posted[1]), worker="test")
        return httpx2.Response(answer.status_code, headers=dict(answer.items()), content=answer.content)


@pytest.fixture
def transport() -> InProcess:
    return InProcess()


@pytest.fixture
def rest(api_key: str, transport: InProcess) -> Rest:
    return Rest(ADDRESS, api_key, transport=transport)
