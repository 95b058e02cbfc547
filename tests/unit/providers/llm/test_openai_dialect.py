from typing import Any

import pytest

from providers.llm.openai_dialect import Dialect, is_strict

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
STRICT: dict[str, Any] = {**SCHEMA, "additionalProperties": False}


@pytest.mark.parametrize(
    ("complaint", "sent"),
    [
        ("the context is too long", {"response_format": {}, "max_tokens": 9, "temperature": 1}),
        ("the context is too long", {"tools": [], "tool_choice": {}, "max_tokens": 9}),
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
