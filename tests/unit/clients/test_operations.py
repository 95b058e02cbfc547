"""The Python client reaches every operation that the service has, as the reference describes it."""

import asyncio
import inspect
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from rapport_client import AsyncRapport, AsyncRelationship, NotFound, Rapport, Relationship
from rapport_client.generated.async_operations import AsyncOperations
from rapport_client.generated.operations import Operations

from tests.guards.sources import ROOT

DOCUMENT = json.loads((ROOT / "docs/reference/openapi.json").read_text())
CALLS = {
    operation["operationId"]: (method.upper(), path, operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
}


class Wire(httpx.MockTransport):
    """Keeps what was sent, answers {}."""

    def __init__(self) -> None:
        self.sent: list[httpx.Request] = []
        super().__init__(self._take)

    def _take(self, request: httpx.Request) -> httpx.Response:
        self.sent.append(request)
        return httpx.Response(200, json={}, headers={"Content-Type": "application/json"})


def filled(method: Callable[..., Any]) -> tuple[list[str], dict[str, Any]]:
    """Something for every argument."""
    placed: list[str] = []
    named: dict[str, Any] = {}
    for name, parameter in list(inspect.signature(method).parameters.items())[1:]:
        if parameter.kind is parameter.KEYWORD_ONLY:
            known: dict[str, Any] = {"file": ("a.txt", b"x"), "body": {"a": 1}, "wait": 1}
            named[name] = b"x" if parameter.annotation is bytes else known.get(name, "x")
        else:
            placed.append("with/a slash")
    return placed, named


def test_both_clients_have_every_operation_and_nothing_else() -> None:
    for generated in (Operations, AsyncOperations):
        assert {name for name in vars(generated) if not name.startswith("_")} == set(CALLS)


def test_every_list_is_read_page_by_page() -> None:
    """What `items` goes through; only events go on by `next`."""
    schemas, fields = DOCUMENT["components"]["schemas"], dict[str, set[str]]()
    for name, (_, _, operation) in CALLS.items():
        answer = operation["responses"].get("200", {}).get("content", {}).get("application/json", {})
        reference = answer.get("schema", {}).get("$ref", "").rpartition("/")[2]
        fields[name] = set(schemas.get(reference, {}).get("properties", ()))

    assert [
        name
        for name, there in fields.items()
        if name.endswith("_list") and "items" in there and "next_cursor" not in there
    ] == ["events_list"]


def test_both_relationships_have_the_same_methods() -> None:
    def methods(of: type) -> dict[str, Any]:
        taken = {
            name: inspect.signature(method).parameters
            for name, method in vars(of).items()
            if callable(method)
        }
        return {name: list(one.values())[1:] for name, one in taken.items() if not name.startswith("_")}

    assert methods(Relationship) == methods(AsyncRelationship)


@pytest.mark.parametrize("name", CALLS)
def test_a_method_sends_what_the_reference_describes(name: str) -> None:
    method, path, operation = CALLS[name]
    wires = [Wire(), Wire()]
    placed, named = filled(getattr(Operations, name))
    with Rapport("http://rapport.test", "rk_x", transport=wires[0]) as client:
        answered = getattr(client, name)(*placed, **named)
        if hasattr(answered, "__next__"):
            list(answered)

    async def ask() -> None:
        async with AsyncRapport("http://rapport.test", "rk_x", transport=wires[1]) as client:
            answered = getattr(client, name)(*placed, **named)
            if hasattr(answered, "__anext__"):
                assert [one async for one in answered] == []
            else:
                await answered

    asyncio.run(ask())
    for wire in wires:
        (request,) = wire.sent
        assert request.method == method
        fits = re.sub(r"{\w+}", "with%2Fa%20slash", path)
        assert request.url.raw_path.decode().partition("?")[0] == fits
        parameters = operation.get("parameters", [])
        assert set(request.url.params) == {one["name"] for one in parameters if one["in"] == "query"}
        assert all(one["name"] in request.headers for one in parameters if one["in"] == "header")
        media = request.headers.get("Content-Type", "").partition(";")[0]
        assert media in operation.get("requestBody", {}).get("content", {"": ""})


def test_a_header_that_is_not_ascii_is_sent_for_the_service_to_say_so() -> None:
    wire = Wire()
    with Rapport("http://rapport.test", "rk_é", transport=wire) as client:
        client.turns_create("r", messages=[], idempotency_key="ü")

    sent = {name.lower(): value for name, value in wire.sent[0].headers.raw}
    assert (sent[b"authorization"], sent[b"idempotency-key"]) == ("Bearer rk_é".encode(), "ü".encode())


def test_a_web_page_instead_of_an_answer_is_said_to_be_one() -> None:
    page = httpx.Response(404, html="<!doctype html><title>Not found</title>")
    transport = httpx.MockTransport(lambda request: page)
    with (
        Rapport("http://rapport.test/api", "rk_x", transport=transport) as client,
        pytest.raises(NotFound) as told,
    ):
        client.project_read()
    assert str(told.value).startswith(
        "404 http://rapport.test/api/v1/project answered with a web page. Check"
    )


def test_a_path_is_uploaded_as_the_file_and_a_text_is_not_taken_for_one(tmp_path: Path) -> None:
    wire, file = Wire(), tmp_path / "Handbook.md"
    file.write_text("Refunds take five days.")
    with Rapport("http://rapport.test", "rk_x", transport=wire) as client:
        client.documents_add("c", file=file)
        with pytest.raises(TypeError, match="Path"):
            client.documents_add("c", file=str(file))

    (sent,) = wire.sent
    body = sent.read()
    assert b'filename="Handbook.md"' in body and b"Refunds take five days." in body
