from typing import Any, cast

import pytest
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema
from pydantic import BaseModel

from relationships.api.openapi import RapportSchema
from tests.fixtures.api import Api


@pytest.fixture(scope="module")
def schema() -> Any:
    return cast(Any, SchemaGenerator)().get_schema(request=None, public=True)


def operations(schema: Any) -> list[tuple[str, str, Any]]:
    return [(path, method, op) for path, ops in schema["paths"].items() for method, op in ops.items()]


def test_the_schema_is_openapi_3_1(schema: Any) -> None:
    cast(Any, validate_schema)(schema)

    assert schema["openapi"].startswith("3.1")


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


def test_every_reference_leads_somewhere(schema: Any) -> None:
    def references(part: Any) -> list[str]:
        if isinstance(part, dict):
            own = [part["$ref"]] if isinstance(part.get("$ref"), str) else []
            return own + [ref for value in part.values() for ref in references(value)]
        return [ref for value in part for ref in references(value)] if isinstance(part, list) else []

    named = {f"#/components/schemas/{name}" for name in schema["components"]["schemas"]}

    assert set(references(schema)) <= named


def test_limits_of_parameters_are_said(schema: Any) -> None:
    parameters = schema["paths"]["/v1/relationships"]["get"]["parameters"]
    limit = next(one["schema"] for one in parameters if one["name"] == "limit")
    user = next(one["schema"] for one in parameters if one["name"] == "user")

    assert (limit["minimum"], limit["maximum"], limit["default"]) == (1, 200, 50)
    assert "anyOf" not in user
    assert "default" not in user


def test_a_patch_says_both_of_its_media_types_and_if_match(schema: Any) -> None:
    patch = schema["paths"]["/v1/relationships/{relationship_id}/profile"]["patch"]

    assert set(patch["requestBody"]["content"]) == {"application/json", "application/merge-patch+json"}
    assert "If-Match" in [one["name"] for one in patch["parameters"]]
    assert "412" in patch["responses"]
    assert "ETag" in patch["responses"]["200"]["headers"]


def test_any_json_means_the_json_that_can_be_kept(schema: Any) -> None:
    metadata = schema["components"]["schemas"]["NewUser"]["properties"]["metadata"]

    assert metadata["additionalProperties"] == {"$ref": "#/components/schemas/JsonValue"}


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
