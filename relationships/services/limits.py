"""Size limits of what is stored. Every writer checks them here, whichever way the data arrived.

Each `..._fault` says what is wrong with a value, as a sentence without its subject; "" if nothing is.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from django.conf import settings

MAX_NAME = 200
MAX_METADATA_BYTES = 16_384
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def document_fault(document: Any) -> str:
    """Check a profile or a session's state."""
    size, limit = len(orjson.dumps(document)), settings.MAX_PROFILE_BYTES
    return f"would be {size} bytes; at most {limit} are kept" if size > limit else ""


def metadata_fault(metadata: Mapping[str, Any]) -> str:
    too_long = len(orjson.dumps(metadata)) > MAX_METADATA_BYTES
    return f"is longer than {MAX_METADATA_BYTES} bytes" if too_long else ""


def message_fault(text: str) -> str:
    size, limit = len(text.encode("utf-8", "surrogatepass")), settings.MAX_MESSAGE_BYTES
    if size > limit:
        return f"is longer than {limit} bytes; send it as several messages"
    if "\x00" in text:
        return "holds a NUL character, which can't be kept; leave it out"
    return "" if text.strip() else "is empty"


def name_fault(text: str, most: int = MAX_NAME) -> str:
    """Check a name that appears in URLs, logs and lists."""
    if len(text) > most:
        return f"is longer than {most} characters"
    return "holds a control character" if _CONTROL.search(text) else ""


def misplaced_role(roles: Sequence[str]) -> tuple[int, str] | None:
    """The index of the first message of a turn whose role isn't allowed at its place, and the reason."""
    for place, role in enumerate(roles):
        if role == "system" and set(roles[:place]) - {"system"}:
            return place, "a system message comes before all others"
        if role == "tool" and place and roles[place - 1] not in ("assistant", "tool"):
            return place, "a tool message follows the assistant's, or begins the turn"
    return None
