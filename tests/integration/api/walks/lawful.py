"""The largest bodies that a route accepts: its example in the schema, with one part at a time made as long as possible.

`inflations(schema, example)` yields each part that may be long, with a function that makes it about as long as wanted,
in one of the ways that cause work.
"""

import json
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import Any, cast
from uuid import UUID

from tests.acceptance.drills.talk import LONG
from tests.environments import OPENAPI

Made = Callable[[int], Any]
Schema = dict[str, Any]
SHORT = 1000  # characters or members: parts that can't be longer cost nothing
DEEPEST = 3
AT_ONCE = 50  # members that are made long together
ANY_ID = str(UUID(int=7))


@lru_cache(maxsize=16)  # megabytes, which the next route can use again
def numbered(size: int, each: str, between: str = ",") -> str:
    """Repeat `each`, with numbers for `#`, until it is about `size` long."""
    count = size // (len(each) + len(between) + 4)
    return between.join(each.replace("#", str(number)) for number in range(count))


TEXTS: dict[str, Callable[[int], str]] = {
    "words": lambda size: numbered(size, "w#", " "),
    "signs": lambda size: "'\\%_|&!:*" * (size // 9),
    "spaces": lambda size: "a" + " " * (size - 2) + "b",
    "marks": lambda size: "a" + "\u0301\u0323" * (size // 4),
    "underscores": lambda size: "a_" * (size // 2),
    "fences": lambda size: "<rapport_memory>" * (size // 16),
    "please": lambda size: "please " * (size // 7),
    "lines": lambda size: "a\n" * (size // 2),
    "sentences": lambda size: numbered(size, "I like tea number #.", " "),
}
OBJECTS: dict[str, Made] = {
    "deep": lambda size: {"a": [json.loads("[" * 20 + "1" + "]" * 20)] * (size // 44)},
    "wide": lambda size: {f"n{number}": 1 for number in range(size // 12)},
    "objects": lambda size: {"a": [{}] * (size // 4)},
    "nulls": lambda size: {f"n{number}": None for number in range(size // 15)},
    "texts": lambda size: {"a": ["x"] * (size // 5)},
    "long name": lambda size: {"k" * (size // 2): {f"n{number}": 1 for number in range(size // 24)}},
    "escapes": lambda size: {"a": "\x01" * (size // 6)},
}
USED = 9 if LONG else 2  # of each, so that the suite does not take minutes


@cache
def document() -> dict[str, Any]:
    """Read, not made, which each process that collects tests would do; a guard holds that it is in step."""
    return cast(dict[str, Any], json.loads(OPENAPI.read_text()))


def body_of(method: str, path: str) -> tuple[Schema, Any] | None:
    """The schema and an example of a route's JSON body; None: it has none."""
    content = document()["paths"][path][method.lower()].get("requestBody", {}).get("content", {})
    taken = content.get("application/json")
    if taken is None:
        return None
    schema = resolved(taken["schema"])
    examples = taken.get("examples", {"example": {"value": smallest(schema)}})
    return schema, examples["example"]["value"]


def resolved(schema: Schema) -> Schema:
    """The schema without a reference; of several alternatives, the first that is not null."""
    while "$ref" in schema or "anyOf" in schema:
        if "$ref" in schema:
            schema = document()["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        else:
            schema = next((one for one in schema["anyOf"] if one.get("type") != "null"), {})
    return schema


def smallest(schema: Schema) -> Any:
    """The smallest valid value, with required members only."""
    schema = resolved(schema)
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    kind = schema.get("type")
    if kind == "object":
        return {name: smallest(schema["properties"][name]) for name in schema.get("required", ())}
    if kind == "string":
        return (
            ANY_ID if "uuid" in schema.get("format", "") or "0-9a-fA-F-" in schema.get("pattern", "") else "x"
        )
    return {"array": [], "integer": 1, "number": 1, "boolean": False}.get(kind or "")


def inflations(schema: Schema, example: Any, depth: int = 0) -> Iterator[tuple[str, Made]]:
    schema = resolved(schema)
    kind = schema.get("type")
    if kind == "string":
        yield from _texts(schema)
    elif kind == "array":
        yield from _lists(schema, example, depth)
    elif kind == "object" and schema.get("properties"):
        whole = example if isinstance(example, dict) else smallest(schema)
        for name, part in schema["properties"].items() if depth < DEEPEST else ():
            for told, made in inflations(part, whole.get(name), depth + 1):
                yield f"{name}: {told}", lambda size, name=name, made=made: {**whole, name: made(size)}  # type: ignore[misc]
    elif schema.get("patternProperties"):
        most = int(schema.get("maxProperties") or schema.get("maxLength") or 10**9)
        yield "names", lambda size: {f"n{number}": "x" for number in range(min(most, size // 12))}
    elif kind == "object" or not kind:
        yield from list(OBJECTS.items())[:USED]


def _texts(schema: Schema) -> Iterator[tuple[str, Made]]:
    most = schema.get("maxLength", 10**9)
    if most < SHORT or "enum" in schema or schema.get("pattern", "").startswith("^[a-z"):
        return
    for name, text in list(TEXTS.items())[:USED]:
        yield name, lambda size, text=text: text(min(size, most))  # type: ignore[misc]


def _lists(schema: Schema, example: Any, depth: int) -> Iterator[tuple[str, Made]]:
    most = schema.get("maxItems", 10**9)
    each = example[0] if example else smallest(schema["items"])
    if most >= AT_ONCE:
        yield "many", lambda size: _many(each, size, most)
    few = min(most, AT_ONCE)
    for told, made in inflations(schema["items"], each, depth + 1) if depth < DEEPEST else ():
        yield f"one of {told}", lambda size, made=made: [made(size)]  # type: ignore[misc]
        yield f"{few} of {told}", lambda size, made=made: [made(size // few)] * few  # type: ignore[misc]


def _many(each: Any, size: int, most: int) -> list[Any]:
    """Repeat a member; IDs are made different."""
    if each == ANY_ID:
        return [str(UUID(int=number)) for number in range(min(most, size // 40))]
    return [each] * min(most, size // (len(json.dumps(each)) + 2))
