import re
import time
from itertools import product
from typing import Any

import pytest
from jsonschema import Draft202012Validator, SchemaError

from relationships.configuration.json_schemas import (
    ALTERNATIVES,
    MOST_DEEP,
    MOST_PROBLEMS,
    known_shape,
    refuse_misshapen,
)
from web.errors import InvalidInput

PLAN = {
    "type": "object",
    "properties": {
        "plan": {"enum": ["gold", "silver"]},
        "coach": {"type": "object", "properties": {"since": {"type": "integer", "minimum": 2000}}},
    },
    "required": ["plan"],
}


def nested(deep: int) -> dict[str, Any]:
    return {"not": nested(deep - 1)} if deep else {}


def is_taken(schema: dict[str, Any]) -> bool:
    try:
        known_shape(schema)
    except ValueError:
        return False
    return True


def is_schema(schema: dict[str, Any]) -> bool:
    """Whether the metaschema allows it, and it holds no list or object where we take none."""
    compared = [schema.get(name) for name in ALTERNATIVES]
    if any(isinstance(one, dict) or (isinstance(one, list) and {} in one) for one in compared):
        return False
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError:
        return False
    return True


def refused_fields(schema: dict[str, Any] | None, document: dict[str, Any]) -> list[str]:
    try:
        refuse_misshapen(known_shape(schema), document, whole="profile")
    except InvalidInput as error:
        return [problem.field for problem in error.problems]
    return []


@pytest.mark.parametrize(
    ("schema", "document", "fields"),
    [
        (PLAN, {"plan": "gold", "coach": {"since": 2026}, "more": 1}, []),
        (PLAN, {"plan": "gold", "coach": 2026}, ["coach"]),
        (None, {"plan": "brass"}, []),
    ],
    ids=["fits", "another kind", "no schema"],
)
def test_a_document_is_taken_if_it_fits(
    schema: dict[str, Any] | None, document: dict[str, Any], fields: list[str]
) -> None:
    assert refused_fields(schema, document) == fields


def test_each_field_that_does_not_fit_is_named() -> None:
    with pytest.raises(InvalidInput) as refused:
        refuse_misshapen(PLAN, {"plan": "brass", "coach": {"since": 1999}}, whole="profile")

    assert [problem.field for problem in refused.value.problems] == ["plan", "coach.since"]
    assert "'brass' is not one of ['gold', 'silver']" in refused.value.detail


def test_what_is_wrong_with_the_whole_is_said_of_the_whole() -> None:
    with pytest.raises(InvalidInput) as refused:
        refuse_misshapen(PLAN, {}, whole="profile")

    assert refused.value.detail == "profile: 'plan' is a required property"


def test_a_long_story_is_cut() -> None:
    schema = {"items": False, "additionalProperties": {"type": "integer"}}

    with pytest.raises(InvalidInput) as refused:
        refuse_misshapen(schema, {f"n{number}": "x" * 5000 for number in range(100)}, whole="profile")

    assert len(refused.value.problems) == MOST_PROBLEMS
    assert len(refused.value.detail) < 10_000


@pytest.mark.parametrize(
    "keyword", ["not", "anyOf", "properties", "type", "required", "minimum", "maxLength"]
)
@pytest.mark.parametrize(
    "extra", ["multipleOf", "enum", "title", "examples", "default", "additionalProperties"]
)
def test_the_supported_keywords_hold_what_the_metaschema_says(keyword: str, extra: str) -> None:
    values = [
        True,
        0,
        1.5,
        2.0,
        -1,
        "",
        "string",
        [],
        ["string"],
        ["string", "string"],
        [1],
        {},
        [{}],
        {"title": {}},
    ]
    for first, second in product(values, values):
        schema = {keyword: first, extra: second}
        assert is_taken(schema) == is_schema(schema), schema


def test_a_schema_of_many_small_ones_is_checked_at_once() -> None:
    began = time.thread_time()
    known_shape({"allOf": [{} for _ in range(16_000)]})
    assert time.thread_time() - began < 0.3  # by the metaschema: 2 seconds


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"$ref": "https://example.org/schema"}, "'$ref' is not supported"),
        ({"properties": {"a": {"pattern": "(a+)+$"}}}, "'pattern' is not supported"),
        ({"anyOf": [{"items": {"uniqueItems": True}}]}, "'uniqueItems' is not supported"),
        ({"type": "objekt"}, "not a JSON Schema"),
        ({"required": "plan"}, "not a JSON Schema"),
        (nested(MOST_DEEP + 1), "20 deep"),
    ],
    ids=["reference", "pattern", "slow", "unknown type", "wrong kind", "deep"],
)
def test_a_schema_that_can_not_be_kept_to_is_refused(schema: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        known_shape(schema)


@pytest.mark.parametrize("count", [float("inf"), float("nan"), -1, 1.5])
def test_a_count_is_a_whole_number(count: float) -> None:
    with pytest.raises(ValueError, match="minLength has to be a whole number from 0"):
        known_shape({"minLength": count})
