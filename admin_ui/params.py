"""Reads the parameters of an address or a form, and shows JSON as a person reads it. Pure."""

import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from web.errors import InvalidInput


def text_param(params: Mapping[str, str], name: str, *, limit: int | None = None) -> str:
    """One line of text without what surrounds it, at most `limit` characters; without NUL, which no table takes."""
    return params.get(name, "").replace("\x00", "").strip()[:limit]


def parse_uuid(text: str) -> UUID | None:
    """The ID that a text is; None where it is none."""
    try:
        return UUID(text)
    except ValueError:
        return None


def whole_number(text: str, *, digits: int) -> int | None:
    """None where it is none, or has more digits."""
    return int(text) if text.isdecimal() and len(text) <= digits else None


def version_param(params: Mapping[str, str]) -> int | None:
    """The version that a form was made from, or an address asks for; None where it names none."""
    return whole_number(params.get("version", ""), digits=9)


def required_version(params: Mapping[str, str]) -> int:
    """Raises InvalidInput where a form names none: nothing is overwritten unseen."""
    version = version_param(params)
    if version is None:
        raise InvalidInput.of("version", "is not a number; reload the page")
    return version


def readable(value: Any) -> str:
    """A text as it is, anything else as JSON."""
    return value if isinstance(value, str) else pretty(value)


def pretty(values: Any) -> str:
    """As JSON over several lines, in its own script."""
    return json.dumps(values, ensure_ascii=False, indent=2)
