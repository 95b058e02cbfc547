"""Where every value of a configuration comes from."""

from collections.abc import Iterator, Mapping
from typing import Any

from relationships.configuration.cascade import ResolvedConfiguration


def levels_of(resolved: ResolvedConfiguration) -> dict[str, str]:
    """The level of each value, by dotted path: default, recipe, project, companion, relationship, turn."""
    values = resolved.values.model_dump(mode="json")
    return {path: resolved.provenance.get(path, "default") for path in _paths(values, "")}


def _paths(values: Mapping[str, Any], prefix: str) -> Iterator[str]:
    for name, value in values.items():
        if isinstance(value, dict) and value:
            yield from _paths(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}"
