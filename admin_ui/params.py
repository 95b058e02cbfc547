"""Parse query and form parameters, and format JSON for display. Pure."""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from web.errors import InvalidInput


def text_param(params: Mapping[str, str], name: str, *, limit: int | None = None) -> str:
    """Return a stripped text of at most `limit` characters, without NUL, which PostgreSQL does not store."""
    return params.get(name, "").replace("\x00", "").strip()[:limit]


def multiline_param(params: Mapping[str, str], name: str) -> str:
    """Return the text of a textarea, with LF as line ends and without NUL."""
    return params.get(name, "").replace("\x00", "").replace("\r\n", "\n")


def parse_uuid(text: str) -> UUID | None:
    """Return None if the text is no UUID."""
    try:
        return UUID(text)
    except ValueError:
        return None


def parse_uuids(texts: Iterable[str]) -> list[UUID]:
    """Return the texts that are UUIDs, in order."""
    return [found for text in texts if (found := parse_uuid(text))]


def parse_moment(text: str) -> datetime | None:
    """Parse an ISO 8601 time, in UTC if it has no zone, and return it in UTC. Return None if it is none."""
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):  # before year 1 or after 9999 in UTC
        return None


def parse_whole_number(text: str, *, digits: int) -> int | None:
    """Return None if the text is no whole number, or one with more digits."""
    return int(text) if text.isdecimal() and len(text) <= digits else None


def version_param(params: Mapping[str, str], name: str = "version") -> int | None:
    """Return the version that a form edits or a URL names; None if it is missing."""
    return parse_whole_number(params.get(name, ""), digits=9)


def required_version(params: Mapping[str, str], name: str = "version") -> int:
    """Return the version that a form edits. Raises InvalidInput if it is missing, so that no change is overwritten."""
    version = version_param(params, name)
    if version is None:
        raise InvalidInput.of("version", "is not a number; reload the page")
    return version


def text_or_json(value: Any) -> str:
    """Return a string unchanged, any other value as JSON."""
    return value if isinstance(value, str) else pretty_json(value)


def pretty_json(values: Any) -> str:
    """Format as indented JSON, with non-ASCII characters as they are."""
    return json.dumps(values, ensure_ascii=False, indent=2)
