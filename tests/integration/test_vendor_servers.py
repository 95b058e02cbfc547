"""The local servers as processes of their own, as drills and benchmarks use them."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.vendor_servers.gemini_server import GeminiServer
from tests.vendor_servers.script import Item, instance_of

ROOT = Path(__file__).resolve().parent.parent.parent
QUESTION = {"contents": [{"role": "user", "parts": [{"text": "I moved to Porto."}]}]}
CHAT = {"model": "m", "messages": [{"role": "user", "content": "I moved to Porto."}]}
GENERATE = "/v1beta/models/m:generateContent"


def remember_porto(body: dict[str, Any]) -> Item:
    """A responder, named on a command line below."""
    return {"json": {"operations": [{"op": "add", "content": "lives in Porto"}]}}


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    with httpx.Client(headers={"x-goog-api-key": "k"}, timeout=10, trust_env=False) as client:
        yield client


@pytest.fixture(params=["gemini", "openai"])
def alone(request: pytest.FixtureRequest) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """A server in another process: its root, the address of a question, the question."""
    command = [sys.executable, "-m", f"tests.vendor_servers.{request.param}_server"]
    command += ["--respond", "tests.integration.test_vendor_servers.remember_porto"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        root = process.stdout.readline().strip().removesuffix("/v1")
        yield (
            (root, root + GENERATE, QUESTION)
            if request.param == "gemini"
            else (
                root,
                f"{root}/v1/chat/completions",
                CHAT,
            )
        )
        process.terminate()


def test_a_server_alone_is_steered_over_http(
    alone: tuple[str, str, dict[str, Any]], client: httpx.Client
) -> None:
    root, address, question = alone
    client.post(f"{root}/_control/script", json=[{"status": 503}, {"text": "for Porto", "match": "Porto"}])

    answers = [client.post(address, json=question) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [503, 200, 200]
    assert "for Porto" in answers[1].text
    assert "lives in Porto" in answers[2].text
    assert client.get(f"{root}/_control/asked").json() == {"asked": 3}
    assert client.get(f"{root}/_control/requests").json()[0]["body"] == question
    client.delete(f"{root}/_control/script")
    assert client.get(f"{root}/_control/asked").json() == {"asked": 0}


def test_an_item_that_nobody_knows_is_refused(client: httpx.Client) -> None:
    with GeminiServer() as server:
        refused = client.post(f"{server.url}/_control/script", json={"stats": 500})

        assert refused.status_code == 400
        with pytest.raises(ValueError, match="knows no stats"):
            server.push({"stats": 500})


def test_an_item_can_wait_for_its_words_and_serve_many(client: httpx.Client) -> None:
    with GeminiServer() as server:
        server.push({"status": 400, "match": "poison", "always": True}, {"text": "twice", "repeat": 2})

        def ask(text: str) -> int:
            body = {"contents": [{"parts": [{"text": text}]}]}
            return client.post(server.url + GENERATE, json=body).status_code

        assert [ask(text) for text in ("fine", "poison", "fine", "poison", "fine")] == [
            200,
            400,
            200,
            400,
            200,
        ]
        assert server.asked == 5


def test_a_server_that_ends_lets_go_of_those_who_wait() -> None:
    with GeminiServer() as server:
        server.push({"delay": 60})
        with httpx.Client(trust_env=False, timeout=0.05) as client, pytest.raises(httpx.TimeoutException):
            client.post(server.url + GENERATE, json=QUESTION, headers={"x-goog-api-key": "k"})

    with pytest.raises(httpx.ConnectError):
        httpx.get(server.url, trust_env=False)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "object", "properties": {"a": {"type": "array"}}, "required": ["a"]}, {"a": []}),
        ({"type": "array", "minItems": 2, "items": {"enum": ["x", "y"]}}, ["x", "x"]),
        ({"type": ["null", "string"]}, None),
        ({"anyOf": [{"type": "boolean"}, {"type": "null"}]}, False),
        ({"type": "integer"}, 0),
    ],
    ids=str,
)
def test_without_a_script_the_answer_is_the_smallest_that_fits(schema: dict[str, Any], value: Any) -> None:
    assert instance_of(schema) == value
