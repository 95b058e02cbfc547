"""A call that writes refuses a condition or an Idempotency-Key if it would ignore it, and does nothing."""

import re
from uuid import uuid4

import pytest

from relationships.models import Relationship
from tests.fixtures.api import Api
from tests.guards.routes import Route, routes

WRITING = {"POST", "PUT", "PATCH", "DELETE"}
NOT_IDS = {"number": "1", "version": "1", "tool": "lookup", "secret": "lookup"}


def refuses(api: Api, route: Route, name: str, value: str) -> bool:
    path = re.sub(r"\{(\w+)\}", lambda found: NOT_IDS.get(found[1]) or str(uuid4()), route.path)
    answer = api.send(route.method, path.removeprefix("/v1"), b"{}", **{name: value})
    return answer.status in (400, 422) and f'"field":"{name}"'.encode() in answer.raw


@pytest.mark.parametrize(
    ("name", "value", "declared", "methods"),
    [
        ("If-Match", '"3"', "if_match", WRITING),
        ("If-None-Match", "*", "", WRITING),
        ("If-Unmodified-Since", "Mon, 02 Mar 2026 12:00:00 GMT", "", WRITING),
        ("Idempotency-Key", "once", "idempotent", {"POST"}),
    ],
)
def test_what_a_call_would_ignore_is_refused(
    api: Api, name: str, value: str, declared: str, methods: set[str]
) -> None:
    writing = [route for route in routes() if route.method in methods and route.scope != "read"]
    ignoring = [route for route in writing if not getattr(route.declared, declared, None)]

    assert len(ignoring) > 40
    assert [route.row for route in ignoring if not refuses(api, route, name, value)] == []


def test_reading_twice_has_no_second_effect(api: Api, relationship: Relationship) -> None:
    path = f"/relationships/{relationship.id}/context"

    assert api.post(path, {}, idempotency_key="once").status == 200


def test_a_call_that_has_the_same_effect_twice_takes_any_key(api: Api, relationship: Relationship) -> None:
    path = f"/relationships/{relationship.id}/profile"

    assert api.put(path, {"plan": "gold"}, idempotency_key="once").status == 200


def test_any_version_needs_no_comparison(api: Api) -> None:
    assert api.post("/companions", {"slug": "ada", "name": "Ada"}, if_match="*").status == 201
