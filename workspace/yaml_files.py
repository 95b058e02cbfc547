"""Parses YAML that an agent wrote, safely."""

from typing import Any

import yaml

from web.errors import TooMuch
from web.parsing import storable_json


class _Plain(yaml.SafeLoader):
    """Without aliases, ten of which inside ten others make a file of a page fill any memory."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("an alias")
        return super().compose_node(parent, index)


def read_yaml(content: bytes) -> dict[str, Any] | None:
    """The mapping it holds, as JSON that can be kept; None: it is no YAML, no mapping, or nested too deep."""
    try:
        read = yaml.load(content, _Plain)  # noqa: S506 - it is a SafeLoader
        return storable_json(_plain(read)) if isinstance(read, dict) else None
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError, TooMuch):
        return None


def _plain(value: Any) -> Any:
    """YAML as JSON: keys are text, and so is what JSON has no type for."""
    if isinstance(value, dict):
        return {str(key): _plain(child) for key, child in value.items()}
    if isinstance(value, list):
        return [_plain(child) for child in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)
