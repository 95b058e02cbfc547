"""Reads YAML that an agent wrote, which is not trusted."""

from typing import Any

import yaml

from web.errors import TooMuch
from web.parsing import storable_json


class _Plain(yaml.SafeLoader):
    """A loader without aliases: nested ones make a small file fill the memory."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("an alias")
        return super().compose_node(parent, index)


def read_yaml(content: bytes) -> dict[str, Any] | None:
    """Read a mapping as JSON that can be stored; None if it is not YAML, not a mapping, or nested too deeply."""
    try:
        read = yaml.load(content, _Plain)  # noqa: S506 - it is a SafeLoader
        return storable_json(_plain(read)) if isinstance(read, dict) else None
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, OverflowError, RecursionError, TooMuch):
        return None


def _plain(value: Any) -> Any:
    """Convert to JSON's types: keys become text, and so do values of other types."""
    if isinstance(value, dict):
        return {str(key): _plain(child) for key, child in value.items()}
    if isinstance(value, list):
        return [_plain(child) for child in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)
