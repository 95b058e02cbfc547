"""docs/reference/configuration.md is the schema in words: every field with its default, and no other."""

import json
from collections.abc import Iterator
from typing import Any

from relationships.configuration.schema import configuration_model
from tests.guards.tables import REFERENCE, named_in

SCHEMA = configuration_model().model_json_schema()
# Too long for a cell: the page says them in words.
IN_WORDS = {
    "ingestion.types",
    "ingestion.importance.floors",
    "context.preamble",
    "context.layers",
    "chat.tool_prompt",
}


def fields(schema: dict[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """Every field by its dotted path, with its default; `...` where it has none."""
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[-1]] | schema
    if "properties" in schema:
        for name, part in schema["properties"].items():
            yield from fields(part, f"{path}.{name}" if path else name)
        return
    yield path, schema.get("default", ...)
    if "$ref" in schema.get("items", {}):
        yield from fields(schema["items"], f"{path}[]")
    if isinstance(schema.get("additionalProperties"), dict):
        yield from fields(schema["additionalProperties"], f"{path}.*")


def test_every_field_is_described_and_no_other() -> None:
    described = {name for name in named_in("configuration.md") if "." in name or name == "recipe"}
    assert described == {path for path, _ in fields(SCHEMA)}


def test_the_defaults_are_those_of_the_schema() -> None:
    described = named_in("configuration.md")
    wrong = [
        f"{path}: {described[path][1]}, the schema has {default!r}"
        for path, default in fields(SCHEMA)
        if default is not ... and path not in IN_WORDS
        if described[path][1] != f"`{json.dumps(default)}`"
    ]
    assert not wrong, f"configuration.md gives other defaults: {wrong}"


def test_the_values_in_words_are_there_too() -> None:
    text = (REFERENCE / "configuration.md").read_text()
    configuration = configuration_model()()
    types = ", ".join(f"`{entry_type.name}`" for entry_type in configuration.ingestion.types)
    budgets = ", ".join(f"`{name}` {layer.budget}" for name, layer in configuration.context.layers.items())
    floors = ", ".join(
        f"`{floor.name}` {floor.at_least}" for floor in configuration.ingestion.importance.floors
    )
    assert types in text
    assert floors in text
    assert budgets in text
