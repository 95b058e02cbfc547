"""What the schema says. `make check` validates it, and holds docs/reference/openapi.json to it."""

import json
import re
from typing import Any

import pytest
from pydantic import BaseModel

from tests.fixtures.api import Api
from web.docs import schema_document
from web.openapi import RapportSchema


@pytest.fixture(scope="module")
def schema() -> Any:
    return json.loads(schema_document())


def operations(schema: Any) -> list[tuple[str, str, Any]]:
    return [(path, method, op) for path, ops in schema["paths"].items() for method, op in ops.items()]


def test_every_operation_has_a_name_a_tag_and_its_problems(schema: Any) -> None:
    ids = [op["operationId"] for _, _, op in operations(schema)]

    assert len(set(ids)) == len(ids)
    for path, _, op in operations(schema):
        assert op["tags"], op["operationId"]
        assert op["summary"], op["operationId"]
        if path.startswith("/v1"):
            assert {"401", "403", "422", "503"} <= set(op["responses"]), op["operationId"]
        if "{" in path:
            assert "404" in op["responses"], op["operationId"]
        if "requestBody" in op:
            assert {"400", "413", "415"} <= set(op["responses"]), op["operationId"]


def test_two_models_of_one_name_are_noticed() -> None:
    from drf_spectacular.plumbing import ComponentRegistry

    first = type("Same", (BaseModel,), {"__annotations__": {"a": int}})
    second = type("Same", (BaseModel,), {"__annotations__": {"b": int}})
    describer = RapportSchema()
    describer.registry = ComponentRegistry()
    describer._component(first)

    with pytest.raises(ValueError, match="called Same"):
        describer._component(second)


@pytest.mark.django_db
def test_schema_and_docs_are_open_and_the_docs_load_nothing_from_elsewhere() -> None:
    stranger = Api(None)

    assert stranger.get("/schema", accept="text/html").status == 200
    page = stranger.client.get("/v1/docs", headers={"accept": "text/html"})
    assert page.status_code == 200
    assert page.headers["Content-Type"].startswith("text/html")
    assert b"/static/drf_spectacular_sidecar/swagger-ui-dist/swagger-ui-bundle.js" in page.content
    assert b"https://" not in page.content
    assert "script-src 'self';" in page.headers["Content-Security-Policy"]  # has the admin UI's origin
    assert re.findall(rb"<script(?! src=\"/)", page.content) == []
