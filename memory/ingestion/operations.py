"""Reads the operations out of an answer. Each is judged alone: a bad one is refused with a reason, the rest go on."""

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings

from memory.errors import UnparsableAnswer
from memory.ingestion.reading import Reading
from memory.models import USER_SUBJECT
from memory.providers.json_text import extract_json_text

MAX_OPERATIONS = 200  # of one answer; what is beyond is refused, visibly
KEPT_DEPTH = 4  # of a raw operation's objects and lists
_FORBIDDEN = {code: None for code in (*range(0x20), 0x7F) if code not in (0x09, 0x0A)}


class Verdict(StrEnum):
    APPLIED = "applied"
    NONE = "none"  # says what is known already
    REFUSED = "refused"
    HELD = "held"  # waits for a person


@dataclass(frozen=True, slots=True)
class Operation:
    """One proposed change, understood and held against what was shown. `entry` and `messages` are numbers."""

    op: str
    messages: tuple[int, ...]
    raw: dict[str, Any]
    entry: int | None = None
    type: str = ""
    content: str = ""
    subject: str | None = None
    key: str | None = None
    importance: float | None = None
    happens_at: datetime | None = None
    expires_at: datetime | None = None
    reason: str = ""
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """An operation that is not carried out, and why."""

    raw: Any
    reason: str
    messages: tuple[int, ...] = ()


@dataclass(slots=True)
class _Draft:
    raw: dict[str, Any]
    remarks: list[str] = field(default_factory=list)


class _Refused(Exception):
    pass


def parse_answer(text: str) -> list[Any]:
    """The raw operations of an answer. Raises UnparsableAnswer, saying what is wrong so that a model can mend it."""
    try:
        answer = json.loads(extract_json_text(text))
    except (ValueError, RecursionError) as error:
        raise UnparsableAnswer(f"The answer is not JSON: {str(error)[:200]}") from None
    operations = answer.get("operations") if isinstance(answer, dict) else answer
    if not isinstance(operations, list):
        raise UnparsableAnswer('The answer is JSON, but not an object with a list "operations".')
    return operations


def check_operations(raw: list[Any], reading: Reading) -> list[Operation | Refusal]:
    """Hold each raw operation against what was shown, in order."""
    changed: set[int] = set()
    return [_check(item, place, changed, reading) for place, item in enumerate(raw)]


def _check(item: Any, place: int, changed: set[int], reading: Reading) -> Operation | Refusal:
    if not isinstance(item, dict):
        return Refusal(_short(item), "is not an object")
    messages = _numbers(item.get("messages"))
    try:
        if place >= MAX_OPERATIONS:
            raise _Refused(f"an answer may hold {MAX_OPERATIONS} operations")
        operation = _understand(item, messages, reading)
        if operation.entry is not None:
            if operation.entry in changed:
                raise _Refused(f"entry {operation.entry} is changed by an earlier operation of this answer")
            changed.add(operation.entry)
        return operation
    except _Refused as refusal:
        cited = tuple(number for number in messages or () if 1 <= number <= len(reading.messages))
        return Refusal(_short(item), str(refusal), cited)


def _understand(item: dict[str, Any], messages: tuple[int, ...] | None, reading: Reading) -> Operation:
    op = item.get("op")
    if op not in ("add", "update", "delete"):
        raise _Refused(f"op is {op!r:.40}; known: add, update, delete")
    draft = _Draft(item)
    return Operation(
        op=op,
        messages=_cited(messages, reading),
        raw=_short(item),
        entry=_shown_entry(item, reading) if op != "add" else None,
        type=_type(draft, reading) if op != "delete" else "",
        content=_content(item) if op != "delete" else "",
        subject=_subject(item),
        key=_key(item),
        importance=_importance(draft),
        happens_at=_moment(draft, "happens_at", reading),
        expires_at=_moment(draft, "expires_at", reading),
        reason=_text(item.get("reason"))[:500],
        remarks=tuple(draft.remarks),
    )


def _cited(messages: tuple[int, ...] | None, reading: Reading) -> tuple[int, ...]:
    if messages is None:
        raise _Refused("messages is not a list of numbers")
    known = tuple(dict.fromkeys(number for number in messages if 1 <= number <= len(reading.messages)))
    if not known:
        raise _Refused("rests on no new message" if not messages else "rests on messages that were not shown")
    return known


def _shown_entry(item: dict[str, Any], reading: Reading) -> int:
    number = _number(item.get("entry"))
    if number is None:
        raise _Refused("names no entry")
    if not 1 <= number <= len(reading.entries):
        raise _Refused(f"entry {number} was not shown")
    if reading.entries[number - 1].read_only:
        raise _Refused(f"entry {number} is read-only")
    return number


def _content(item: dict[str, Any]) -> str:
    if not isinstance(item.get("content"), str):
        raise _Refused("content is not a text")
    content = " ".join(_text(item["content"]).split())
    if not content:
        raise _Refused("content is empty")
    if len(content.encode()) > settings.MAX_ENTRY_BYTES:
        raise _Refused(f"content is longer than {settings.MAX_ENTRY_BYTES} bytes")
    return content


def _type(draft: _Draft, reading: Reading) -> str:
    known = [entry_type.name for entry_type in reading.ingestion.types]
    wanted = draft.raw.get("type")
    if wanted is None and draft.raw["op"] == "update":
        return ""
    if isinstance(wanted, str) and wanted.strip().lower() in known:
        return wanted.strip().lower()
    if draft.raw["op"] == "update":
        draft.remarks.append(f"type {wanted!r:.40} is not known; left as it was")
        return ""
    fallback = "other" if "other" in known else known[0]
    draft.remarks.append(f"type {wanted!r:.40} is not known; kept as {fallback}")
    return fallback


def _subject(item: dict[str, Any]) -> str | None:
    subject = " ".join(_text(item.get("subject")).split())[:200]
    return (USER_SUBJECT if subject.lower() == USER_SUBJECT else subject) or None


def _key(item: dict[str, Any]) -> str | None:
    key = "_".join(_text(item.get("key")).lower().split())[:80]
    return key or None


def _importance(draft: _Draft) -> float | None:
    value = draft.raw.get("importance")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        draft.remarks.append("importance is not a number from 0 to 1; left out")
        return None
    return float(value)


def _moment(draft: _Draft, name: str, reading: Reading) -> datetime | None:
    """An ISO date or time; without an offset it is meant in the relationship's time zone."""
    value = draft.raw.get(name)
    if value in (None, ""):
        return None
    try:
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=ZoneInfo(reading.timezone))
        return moment.astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        draft.remarks.append(f"{name} is not an ISO 8601 date; left out")
        return None


def _numbers(value: Any) -> tuple[int, ...] | None:
    items = value if isinstance(value, list) else [value]
    numbers = [_number(item) for item in items]
    return None if any(number is None for number in numbers) else tuple(n for n in numbers if n is not None)


def _number(value: Any) -> int | None:
    """3, "3" and "[3]" are all meant as 3."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, str):
        digits = value.strip().strip("[]#mM ")
        return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else None
    return None


def _text(value: Any) -> str:
    """Only what PostgreSQL and a reader can take: no control characters, no half of a surrogate pair."""
    if not isinstance(value, str):
        return ""
    return value.translate(_FORBIDDEN).encode("utf-8", "ignore").decode()


def _short(item: Any, depth: int = 0) -> Any:
    """The raw operation as it is kept on the turn: cleaned, no deeper than one can be, no longer than an entry."""
    if isinstance(item, dict | list) and depth == KEPT_DEPTH:
        return "..."
    if isinstance(item, dict):
        return {_text(str(name))[:40]: _short(value, depth + 1) for name, value in list(item.items())[:20]}
    if isinstance(item, list):
        return [_short(value, depth + 1) for value in item[:50]]
    if isinstance(item, str):
        return _text(item)[: settings.MAX_ENTRY_BYTES]
    if isinstance(item, int | float) and not abs(item) < 2**63:
        return str(item)[
            :40
        ]  # JSON in the database knows no NaN, and our answers no number of more than 64 bits
    return item
