"""Checks a behaviour's template, which is rendered in the same sandbox as the ingestion prompt."""

from collections.abc import Mapping
from typing import Any

from memory.ingestion.templates import check_instructions
from web.errors import RapportError


class _Anything(dict[str, Any]):
    """Stands for the developer's own data, whose fields are not known in advance."""

    def __missing__(self, name: str) -> "_Anything":
        return _Anything()

    def __str__(self) -> str:
        return ""


# The variables, with examples; docs/reference/behaviours.md lists them.
EXAMPLE: Mapping[str, Any] = {
    "user": "Maya",
    "companion": "Ada",
    "today": "2026-03-02",
    "time": "09:00",
    "timezone": "Europe/Lisbon",
    "message": "I had a long day.",
    "reply": "Tell me about it.",
    "session": "current",
    "turn": 12,
    "profile": _Anything(),
    "state": _Anything(),
    "entries": [{"event": "added", "type": "preference", "content": "Likes tea"}],
    "dated": [{"type": "event", "content": "Has an interview at Siemens", "happens_at": "2026-03-01"}],
}


def known_template(template: str) -> str:
    """Return the template. Raises ValueError if it can't be rendered."""
    try:
        check_instructions(template, EXAMPLE)
    except RapportError as error:
        raise ValueError(error.detail.removeprefix("template: ")) from None
    return template
