from dataclasses import replace
from typing import Any

import pytest

from providers.llm.openai_dialect import Dialect, is_strict
from tests.unit.providers.llm.conftest import TOOL

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
STRICT: dict[str, Any] = {**SCHEMA, "additionalProperties": False}


def fields(dialect: Dialect, **given: Any) -> dict[str, Any]:
    return dialect.fields(**{"schema": None, "max_output_tokens": None, "temperature": None, **given})


def test_the_fullest_request_comes_first() -> None:
    sent = fields(Dialect(), schema=STRICT, max_output_tokens=9, temperature=0.5)

    assert sent == {
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": STRICT, "strict": True},
        },
        "max_tokens": 9,
        "temperature": 0.5,
    }


def test_what_is_not_asked_for_is_not_sent() -> None:
    assert fields(Dialect()) == {}


def test_a_complaint_about_the_schema_leads_to_json_and_then_to_words() -> None:
    first = Dialect()
    second = first.simpler("Unknown response_format", sent=fields(first, schema=SCHEMA))
    assert second is not None
    third = second.simpler("'json_object' is not supported", sent=fields(second, schema=SCHEMA))
    assert third is not None

    assert fields(second, schema=SCHEMA) == {"response_format": {"type": "json_object"}}
    assert fields(third, schema=SCHEMA) == {}
    assert third.simpler("Unknown response_format", sent=fields(third, schema=SCHEMA)) is None


def test_a_schema_that_is_not_enforced_is_told_in_words() -> None:
    told = Dialect(schema_mode="json_object").instruction(SCHEMA)

    assert '"required": ["a"]' in told
    assert Dialect().instruction(SCHEMA) == ""
    assert Dialect(schema_mode="words").instruction(None) == ""


def test_the_other_name_of_the_token_limit_is_tried_once() -> None:
    first = Dialect()
    second = first.simpler("Use 'max_completion_tokens' instead", sent={"max_tokens": 9})
    assert second is not None

    assert fields(second, max_output_tokens=9) == {"max_completion_tokens": 9}
    assert second.simpler("max_completion_tokens is too large", sent={"max_completion_tokens": 9}) is None


def test_a_temperature_that_is_refused_is_left_out() -> None:
    plain = Dialect().simpler("Unsupported value: 'temperature'", sent={"temperature": 0.2})
    assert plain is not None

    assert fields(plain, temperature=0.2) == {}


def test_a_function_is_called_for_by_name_then_by_a_word_then_as_a_schema() -> None:
    first = Dialect()
    second = first.simpler("Invalid tool_choice", sent=fields(first, tool=TOOL, schema=TOOL.parameters))
    assert second is not None
    third = second.simpler("Invalid tool_choice", sent=fields(second, tool=TOOL, schema=TOOL.parameters))
    assert third is not None

    assert fields(first, tool=TOOL)["tool_choice"] == {"type": "function", "function": {"name": TOOL.name}}
    assert fields(second, tool=TOOL)["tool_choice"] == "required"
    assert fields(third, tool=TOOL, schema=TOOL.parameters) == fields(Dialect(), schema=TOOL.parameters)


def test_a_function_that_is_asked_for_as_a_schema_is_described_in_words() -> None:
    assert Dialect().instruction(TOOL.parameters, TOOL) == ""
    told = Dialect(tool_mode="as_schema").instruction(TOOL.parameters, TOOL)
    assert told.strip() == f"{TOOL.name}: {TOOL.description}"


def test_strict_mode_is_not_mentioned_where_a_function_does_not_allow_it() -> None:
    loose = replace(TOOL, parameters=SCHEMA)

    assert "strict" not in fields(Dialect(), tool=loose)["tools"][0]["function"]


@pytest.mark.parametrize(
    ("complaint", "sent"),
    [
        ("the context is too long", {"response_format": {}, "max_tokens": 9, "temperature": 1}),
        ("response_format is not supported", {}),
        ("tools are not supported", {"response_format": {}}),
        ("max_tokens is too large", {}),
        ("temperature", {}),
    ],
)
def test_a_complaint_about_something_else_changes_nothing(complaint: str, sent: dict[str, Any]) -> None:
    assert Dialect().simpler(complaint, sent=sent) is None


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        (STRICT, True),
        (SCHEMA, False),
        ({**STRICT, "required": []}, False),
        ({"type": "array", "items": STRICT}, True),
        ({"type": "array", "items": SCHEMA}, False),
        ({"anyOf": [STRICT, SCHEMA]}, False),
        ({**STRICT, "properties": {"a": SCHEMA}}, False),
        ({"$ref": "#/$defs/x", "$defs": {"x": SCHEMA}}, False),
    ],
    ids=str,
)
def test_strict_mode_is_asked_only_for_a_schema_that_allows_it(schema: dict[str, Any], strict: bool) -> None:
    assert is_strict(schema) is strict
