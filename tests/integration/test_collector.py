"""What requests leave to Python's cycle collector: while it looks through them, nobody of the process is answered."""

import gc
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.test import RequestFactory
from django.test.client import ClientHandler

from relationships.models import Relationship
from tests.fixtures.api import Api
from tests.fixtures.chat import CHAT, Chat

SAID = {"role": "user", "content": "What should I cook tonight?"}
UNFIT = {"content": "no type"}
OF_THE_ORM = 12  # objects a request, in closures of Django's query compiler
REQUESTS = [
    ("POST", "/context", {"message": SAID["content"]}, 0),
    ("POST", "/messages/search", {"query": "cook"}, 0),
    ("POST", "/turns", {"messages": [SAID]}, OF_THE_ORM),
    ("GET", "", None, OF_THE_ORM),
    ("GET", "/entries", None, OF_THE_ORM),
    ("POST", "/entries", UNFIT, 0),
]


handler = ClientHandler(enforce_csrf_checks=False)


@contextmanager
def no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def left_by(api: Api, method: str, path: str, body: Any) -> Iterator[float]:
    """Objects a request that only the collector frees, up to three times: another thread may leave some meanwhile."""
    raw = b"" if body is None else json.dumps(body).encode()
    key = {"Authorization": f"Bearer {api.key}"}

    def ask() -> None:
        request = RequestFactory().generic(method, f"/v1{path}", raw, "application/json", headers=key)
        response = handler(request.environ)
        assert response.status_code < 400 or body == UNFIT, response.getvalue()
        assert not response.streaming or b"[DONE]" in response.getvalue()

    for _ in range(3):  # what is remembered from one request to the next
        ask()

    for _ in range(3):
        with no_collector():
            for _ in range(5):
                ask()
            left = gc.collect() / 5
        yield left


@pytest.mark.parametrize(("method", "path", "body", "most"), REQUESTS)
def test_a_request_leaves_nothing_to_the_collector(
    api: Api, relationship: Relationship, method: str, path: str, body: Any, most: int
) -> None:
    left = left_by(api, method, f"/relationships/{relationship.id}{path}", body)
    assert any(objects <= most for objects in left)


@pytest.mark.parametrize("stream", [False, True])
def test_a_reply_leaves_nothing_to_the_collector(chat: Chat, stream: bool) -> None:
    body = {"model": "ada", "user": "maya", "messages": [SAID], "stream": stream}

    assert any(objects <= OF_THE_ORM for objects in left_by(chat.api, "POST", CHAT, body))
