from typing import Any

import pytest

from providers.llm.tool_calls import arguments_text

LISTS: dict[str, Any] = {
    "type": "object",
    "properties": {"facts": {"type": "array"}, "doubts": {"type": "array"}},
}
OTHER: dict[str, Any] = {
    "type": "object",
    "properties": {"facts": {"type": "array"}, "at": {"type": "string"}},
}

CASES: dict[str, tuple[list[str], dict[str, Any], str]] = {
    "no call": ([], LISTS, ""),
    "one call": (['{"facts": ["é"]}'], LISTS, '{"facts": ["é"]}'),
    "one call with nothing": ([""], LISTS, "{}"),
    "one call with no JSON": (['{"facts": ["a'], LISTS, '{"facts": ["a'),
    "calls with lists are one": (
        ['{"facts": ["a"]}', '{"facts": ["é"], "doubts": [1]}', ""],
        LISTS,
        '{"facts": ["a", "é"], "doubts": [1]}',
    ),
    "calls with more than lists": (['{"facts": []}', '{"at": "x"}'], OTHER, '{"facts": []}\n{"at": "x"}'),
    "a function of which nothing is known": (["{}", "{}"], {"type": "object"}, "{}\n{}"),
    "two calls, one broken": (['{"facts": []}', '{"fac'], LISTS, '{"facts": []}\n{"fac'),
    "two calls, one with a name of its own": (
        ['{"facts": []}', '{"fact": 1}'],
        LISTS,
        '{"facts": []}\n{"fact": 1}',
    ),
    "two calls, one without a list": (
        ['{"facts": []}', '{"facts": 1}'],
        LISTS,
        '{"facts": []}\n{"facts": 1}',
    ),
    "two calls, one no object": (['{"facts": []}', "[1]"], LISTS, '{"facts": []}\n[1]'),
}


@pytest.mark.parametrize(("calls", "parameters", "text"), CASES.values(), ids=CASES)
def test_the_arguments_are_one_text(calls: list[str], parameters: dict[str, Any], text: str) -> None:
    assert arguments_text(calls, parameters) == text
