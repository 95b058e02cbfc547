"""What a behaviour's template may use, in the sandbox of the ingestion prompt."""

from collections.abc import Mapping
from typing import Any

from memory.ingestion.templates import check_instructions, render_instructions
from web.errors import RapportError


class _Anything(dict[str, Any]):
    """The developer's own data, of which nobody knows beforehand what is in it."""

    def __missing__(self, name: str) -> "_Anything":
        return _Anything()

    def __str__(self) -> str:
        return ""


# With an example of each; docs/reference/behaviours.md lists them.
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
}


def known_template(template: str) -> str:
    """The template as it is. Raises ValueError where it can't be rendered."""
    try:
        check_instructions(template, EXAMPLE)
    except RapportError as error:
        raise ValueError(error.detail.removeprefix("template: ")) from None
    return template


def render(template: str, variables: Mapping[str, Any]) -> str:
    """Raises InvalidTemplate."""
    return render_instructions(template, variables)
