import json

import pytest

from providers.llm.json_text import closed_loop, extract_json_text, without_thoughts
from tests.growth import MOST, growth

ONE = '{"operations": [{"op": "add"}]}'

UNWRAPPED = {
    "nothing around it": (ONE, ONE),
    "white space": (f"\n  {ONE}\n", ONE),
    "a byte order mark": (f"\ufeff{ONE}", ONE),
    "a json fence": (f"```json\n{ONE}\n```", ONE),
    "a bare fence": (f"```\n{ONE}\n```", ONE),
    "an upper-case fence": (f"```JSON\n{ONE}```", ONE),
    "a fence that is never closed": (f"```json\n{ONE}", ONE),
    "tildes": (f"~~~json\n{ONE}\n~~~", ONE),
    "prose before": (f"Here you are: {ONE}", ONE),
    "prose after": (f"{ONE}\nI hope this helps!", ONE),
    "prose and a fence": (f"Sure!\n```json\n{ONE}\n```\nAnything else?", ONE),
    "brackets in the prose": (f"As said [see above] in {{the list}}: {ONE}", ONE),
    "a citation": (f"From [1] and [2]: {ONE}", ONE),
    "a fence inside a string": ('```json\n{"a": "```js\\nx\\n```"}\n```', '{"a": "```js\\nx\\n```"}'),
    "braces inside a string": ('Well: {"a": "{not} [this]"} ok', '{"a": "{not} [this]"}'),
    "an array in a fence": ('```json\n[{"op": "add"}]\n```', '[{"op": "add"}]'),
    "an empty array in a fence": ("```json\n[]\n```", "[]"),
    "an empty object in prose": ("Nothing to do: {}", "{}"),
    "single quotes": ("{'operations': [{'op': 'add'}]}", ONE),
    "single quotes in prose": ("Here's what I've got: {'operations': [{'op': 'add'}]}. It's all.", ONE),
    "an apostrophe in single quotes": ("{'a': 'doesn't', 'b': 'it\\'s'}", '{"a": "doesn\'t", "b": "it\'s"}'),
    "double quotes in single ones": ("{'a': 'says \"hi\"'}", '{"a": "says \\"hi\\""}'),
    "Python's literals": ("{'a': None, 'b': True}", '{"a": null, "b": true}'),
    "a comma too many": ('{"operations": [{"op": "add",},\n]}', '{"operations": [{"op": "add"}\n]}'),
    "such signs in a string": ('{"a": "None,] // it\'s"}', '{"a": "None,] // it\'s"}'),
    "comments": ('{"a": [1, // one\n], /* two */ "b": 2}', '{"a": [1 \n],  "b": 2}'),
    "a line break in a string": ('{"a": "b\nc"}', '{"a": "b\\nc"}'),
    "the last brace forgotten": ('{"operations": [{"op": "add"}]', ONE),
    "the same twice": (f"{ONE}\nOnce more:\n{ONE}", ONE),
    "other languages": ('答えは {"名": "アナ"} です', '{"名": "アナ"}'),
}


@pytest.mark.parametrize(("text", "expected"), UNWRAPPED.values(), ids=UNWRAPPED)
def test_json_is_extracted_from_the_text_around_it(text: str, expected: str) -> None:
    assert extract_json_text(text) == expected


LEFT_ALONE = {
    "prose": "I have nothing to note.",
    "nothing": "",
    "two different objects": f'First {ONE} then {{"operations": []}}',
    "an object cut off": '{"operations": [{"op": "add"}, {"op": "up',
    "a fenced object cut off": '```json\n{"operations": [\n  {"op": "add"},\n  {"op": "up',
    "an object that is wrong inside": 'Look: {"operations": [{"op": "add"},,]} and {"op": "add"}',
    "single quotes cut off": "{'operations': [{'op': 'ad",
    "a list cut off between two operations": '{"operations": [{"op": "add"}',
    "bare names": '{operations: [{"op": "add"}]}',
    "an object in what is none": '{operations: {"op": "add"}}',
    "one object a line": '{"op": "add"}\n{"op": "delete"}',
    "an array of numbers": "See [1, 2].",
    "nested beyond reason": "[" * 100_000,
    "a number too long": '{"n": ' + "9" * 5000 + "}",
}


@pytest.mark.parametrize("text", LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_ambiguous_text_is_returned_unchanged(text: str) -> None:
    assert extract_json_text(text) == text


def test_a_long_answer_takes_no_long_time() -> None:
    def answer(size: int) -> str:
        operations = [{"content": "{" * 50} for _ in range(size)]
        return f"Here: {json.dumps({'operations': operations})} [x] " + "[1] " * (4 * size)

    assert growth(extract_json_text, answer, size=1500) < MOST


@pytest.mark.parametrize("piece", ["'x' ", '\\\\"', "/*", "# ", ",\n", "'", "{'a': 1,} "])
def test_text_without_json_is_read_quickly(piece: str) -> None:
    assert growth(extract_json_text, lambda size: "{'a': " + piece * size, size=3000) < MOST


THOUGHTS = {
    "closed": ('<think>Is it {"a": 1}?</think>\n\n{}', "{}"),
    "another name": ("<thinking>hm</thinking>{}", "{}"),
    "opened by the template": ("Is it? Yes.</think>\n{}", "{}"),
    "never closed": ("<think>and then and then", ""),
    "none": ("just text", "just text"),
    "the tag inside the answer": ('{"a": "</think>"}', '{"a": "</think>"}'),
    "only the first": ("<think>a</think>b <think>c</think>", "b <think>c</think>"),
}


@pytest.mark.parametrize(("text", "expected"), THOUGHTS.values(), ids=THOUGHTS)
def test_thoughts_are_cut_off_before_the_answer(text: str, expected: str) -> None:
    assert without_thoughts(text) == expected


@pytest.mark.parametrize(
    ("objects", "whole"),
    [
        ('{"a": "]"}, ' * 5, '{"wishes": [], "l": [{"a": "]"}]}'),
        ('{"a": 1}, {"b": 2}, ' * 2, ""),
        ('{"a": 1}, {"b": 2}, {"c": 3}, ' * 2, '{"wishes": [], "l": [{"a": 1}, {"b": 2}, {"c": 3}]}'),
        ('{"a": 1}, ' * 5 + '{"b": 2}, ', ""),
        ('{"a": 1}, ' * 3, ""),
        ('"a", ' * 9, ""),
        ("", ""),
    ],
    ids=[
        "one",
        "twice may be meant",
        "a circle of three",
        "something new came after",
        "too few",
        "no objects",
        "none",
    ],
)
def test_an_answer_that_was_cut_off_in_a_circle_is_each_object_once(objects: str, whole: str) -> None:
    closed = closed_loop(f'Sure: {{"wishes": [], "l": [{objects}{{"a": 1', "l")
    assert (extract_json_text(closed) if closed else "") == whole
    assert closed_loop(f'{{"other": [{objects}', "l") == ""
