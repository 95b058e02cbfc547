"""Parts of JSON Schemas that several questions share. Flat, in the subset that all vendors support."""

from typing import Any

NUMBERS: dict[str, Any] = {"type": "array", "items": {"type": "integer"}}
TEXT: dict[str, Any] = {"type": "string"}
TEXT_OR_NULL: dict[str, Any] = {"type": ["string", "null"]}


def number(low: float, high: float) -> dict[str, Any]:
    return {"type": "number", "minimum": low, "maximum": high}


def list_of(properties: dict[str, Any], *, required: list[str], **more: str) -> dict[str, Any]:
    item = {"type": "object", "properties": properties, "required": required}
    return {"type": "array", **more, "items": item}


def answer_of(**lists: dict[str, Any]) -> dict[str, Any]:
    """An object with these lists, of which the first is required."""
    return {"type": "object", "properties": lists, "required": [next(iter(lists))]}


FORGET = list_of(
    {"entry": {"type": "integer"}, "reason": TEXT, "messages": NUMBERS},
    required=["entry", "messages"],
    description="shown entries that the person asks to have forgotten, and others that the rules name",
)
WISHES = list_of(
    {
        "kind": {"type": "string", "enum": ["forget", "correct"]},
        "what": TEXT,
        "to": TEXT,
        "messages": NUMBERS,
    },
    required=["kind", "what", "messages"],
    description="what the person wants forgotten, or corrected where nothing else here does it",
)
