"""The configuration's schema as a list of fields, and values at their dotted paths. Pure."""

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Any

from relationships.configuration.schema import configuration_model

BESIDE = ("recipe", "behaviours")  # written elsewhere: above the form, and on a page of their own


@cache
def _schema() -> dict[str, Any]:
    """Made for the page that first asks for it: a twentieth of a second of every start."""
    return configuration_model().model_json_schema()


def leaf_paths() -> list[str]:
    """Of every field, in the schema's order."""
    return [path for path, _ in leaves()]


@lru_cache(maxsize=1)
def leaves() -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """Each field's dotted path and its part of the schema."""
    return tuple(leaf for leaf in _walk(_schema(), "") if leaf[0].split(".", 1)[0] not in BESIDE)


def _walk(schema: Mapping[str, Any], path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    schema = resolved_schema(schema)
    if "properties" not in schema:
        yield path, schema
        return
    for name, part in schema["properties"].items():
        yield from _walk(part, f"{path}.{name}" if path else name)


def resolved_schema(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """A reference's target, with what stands beside the reference; of `X or null`, X."""
    if "$ref" in schema:
        return resolved_schema(
            {**_schema()["$defs"][schema["$ref"].rsplit("/", 1)[-1]], **_without(schema, "$ref")}
        )
    if "anyOf" in schema:
        real = next(part for part in schema["anyOf"] if part.get("type") != "null")
        return {**resolved_schema(real), **_without(schema, "anyOf"), "x-optional": True}
    return schema


def _without(schema: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != name}


def value_at(values: Mapping[str, Any], path: str) -> Any:
    """What stands at a dotted path."""
    found: Any = values
    for name in path.split("."):
        found = found[name]
    return found


def put_value(level: dict[str, Any], path: str, value: Any) -> None:
    *parents, name = path.split(".")
    for parent in parents:
        level = level.setdefault(parent, {})
    level[name] = value
