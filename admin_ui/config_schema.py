"""The configuration's JSON Schema as a list of leaf fields, and access to values by dotted path. Pure."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from relationships.configuration.schema import configuration_model

EDITED_ELSEWHERE = ("recipe", "behaviours")  # above the form; on a page of their own


@cache
def _schema() -> dict[str, Any]:
    """Return the JSON Schema. It is made at first use, as it takes 50 ms."""
    return configuration_model().model_json_schema()


@cache
def leaves() -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """Return each field's dotted path and schema, in the schema's order, without those that are edited elsewhere."""
    return tuple(leaf for leaf in _walk(_schema(), "") if leaf[0].split(".", 1)[0] not in EDITED_ELSEWHERE)


def _walk(schema: Mapping[str, Any], path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    schema = resolved_schema(schema)
    if "properties" not in schema:
        yield path, schema
        return
    for name, part in schema["properties"].items():
        yield from _walk(part, f"{path}.{name}" if path else name)


def resolved_schema(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Replace a reference by its target, merged with its siblings, and `X or null` by X with `x-optional`."""
    if "$ref" in schema:
        target = _schema()["$defs"][schema["$ref"].rsplit("/", 1)[-1]]
        return resolved_schema({**target, **_without(schema, "$ref")})
    if "anyOf" in schema:
        real = next(part for part in schema["anyOf"] if part.get("type") != "null")
        return {**resolved_schema(real), **_without(schema, "anyOf"), "x-optional": True}
    return schema


def _without(schema: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != name}


def value_at(values: Mapping[str, Any], path: str) -> Any:
    """Return the value at a dotted path. Raises KeyError."""
    found: Any = values
    for name in path.split("."):
        found = found[name]
    return found


def put_value(level: dict[str, Any], path: str, value: Any) -> None:
    *parents, name = path.split(".")
    for parent in parents:
        level = level.setdefault(parent, {})
    level[name] = value


def field_id(path: str) -> str:
    """Return the ID of a field's input."""
    return f"id-{path.replace('.', '-')}"
