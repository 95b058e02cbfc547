"""Parse the members of a proposed item. Each is cleaned, or the item is refused with a reason.

All strategies share this, so that they are equally strict.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from memory.dates import Mention, dates_in
from memory.entries.happens import happens_text, span_of
from memory.entries.limits import MAX_KEY, entry_fault
from memory.ingestion.ingestion_input import IngestionInput, ShownEntry
from memory.models import USER_SUBJECT
from relationships.text_names import means_person

Item = Mapping[str, Any]
_ONE_NUMBER = re.compile(r"[^\d.-]*(\d{1,9})[\].\s]*", re.ASCII)
_SHARE = re.compile(r"[01]?\.?\d{1,6}", re.ASCII)
_MOST = 10**9
# Of dates, folded: between two of them, and a time of day behind one.
_UP_TO = re.compile(
    r"\s*(?:[-–—~→〜～]|to|until|till|through|thru|bis|a|al?|au|ate|hasta|tot|do|до|から|至|到)\s*"
)
_CLOCK = re.compile(
    r"\s*(?:,|at|um|a(?: las?)?|as|alle|om|kl\.?|в|t)?\s*(?P<hour>[01]?\d|2[0-3])(?:[:.h](?P<minute>[0-5]\d))?"
    r"\s*(?P<sign>(?P<half>[ap])\.?m\.?|uhr|h|hrs?|o'clock)?\s*"
)
BIRTHDAY = "birthday"  # the key of an entry that says when somebody was born
_SAYS_NOTHING = frozenset("null none n/a na nil nothing unknown undefined".split())
NO_TYPE = "is none of this companion's"
NO_OPERATION = "known: add, update, replace, delete"
NO_NUMBERS = "messages is not a list of numbers"
NOT_SHOWN = "rests on messages that were not shown"
LONGEST_VALUE = 3  # words of a value that stands alone
KEPT_DEPTH = 4  # of a raw item's objects and lists
_FORBIDDEN = {code: None for code in (*range(0x20), 0x7F) if code not in (0x09, 0x0A)}


class RefusedItem(Exception):
    """The item is not carried out; the message is the reason."""


def cited_messages(item: Item, given: IngestionInput) -> tuple[int, ...]:
    """The new messages that an item cites. Raises RefusedItem if there is none."""
    messages = numbers_of(item.get("messages"))
    if messages is None:
        raise RefusedItem(NO_NUMBERS)
    known = tuple(dict.fromkeys(number for number in messages if 1 <= number <= len(given.messages)))
    if not known:
        unknown = set(messages) - set(given.earlier_numbers)
        raise RefusedItem(NOT_SHOWN if unknown else "rests on no new message")
    return known


def earlier_messages(item: Item, given: IngestionInput) -> tuple[int, ...]:
    """The numbers of earlier messages among those that it cites."""
    cited = numbers_of(item.get("messages")) or ()
    return tuple(dict.fromkeys(number for number in cited if number in given.earlier_numbers))


def entry_number(item: Item, shown: Sequence[ShownEntry]) -> int:
    """The number of the entry to change. Raises RefusedItem if it may not be changed."""
    number = number_of(item.get("entry"))
    if number is None:
        raise RefusedItem("names no entry")
    if shown_number(item, shown) is None:
        raise RefusedItem(f"entry {number} was not shown")
    if shown[number - 1].read_only:
        raise RefusedItem(f"entry {number} is read-only")
    return number


def shown_number(item: Item, shown: Sequence[ShownEntry]) -> int | None:
    """The number of the entry that an item names, if that was shown."""
    number = number_of(item.get("entry"))
    return number if number is not None and 1 <= number <= len(shown) else None


def text_of(item: Item, name: str) -> str:
    """A text that isn't empty, on one line. Raises RefusedItem."""
    if not isinstance(item.get(name), str):
        raise RefusedItem(f"{name} is not a text")
    content = " ".join(cleaned(item[name]).split())
    if fault := entry_fault(content):
        raise RefusedItem(f"{name} {fault}")
    if name == "content" and (not any(map(str.isalnum, content)) or content.lower() in _SAYS_NOTHING):
        raise RefusedItem("content says nothing")
    return content


def type_of(item: Item, given: IngestionInput, remarks: list[str], *, changes: bool = False) -> str:
    """One of the companion's types, also in the plural; "" for an item that `changes` an entry but not its type.
    Without a type: `other`, if the companion has it. Raises RefusedItem for an unknown type, as silently choosing one
    might be wrong.
    """
    known = given.ingestion.type_names
    wanted = item.get("type")
    if wanted is None and changes:
        return ""
    if isinstance(wanted, str):
        said = wanted.strip().lower()
        if meant := next((one for one in (said, said.removesuffix("s"), f"{said}s") if one in known), None):
            return meant
    if changes:
        remarks.append(f"type {wanted!r:.40} is not known; left as it was")
        return ""
    if wanted in (None, "") and "other" in known:
        remarks.append("names no type; kept as other")
        return "other"
    raise RefusedItem(f"type {wanted!r:.40} {NO_TYPE}: {', '.join(known)}")


def subject_in(item: Item, given: IngestionInput) -> str | None:
    """Whom it is about; the person, too, if they are named instead of called "user"."""
    subject = " ".join(cleaned(item.get("subject")).split())[:200]
    return (USER_SUBJECT if means_person(subject, given.user_name) else subject) or None


def key_in(item: Item) -> str | None:
    key = "_".join(cleaned(item.get("key")).lower().split())[:MAX_KEY]
    return key or None


def with_key(content: str, key: str | None) -> str:
    """`key: value` for a value that stands alone ("41", "Vegetarian", a date), as nobody would know what it is."""
    words, told = content.split(), f"{key}: {content}"
    named = all(word[0].isdecimal() or word[0].isupper() for word in words) and len(words) <= LONGEST_VALUE
    alone = named and words and (len(words) == 1 or content[0].isdecimal() or _in_digits(content))
    return told if key and alone and not entry_fault(told) else content


def reason_in(item: Item) -> str:
    return cleaned(item.get("reason"))[:500]


def share_in(item: Item, name: str, remarks: list[str]) -> float | None:
    """A number from 0 to 1; None, with a remark, if it isn't one."""
    value = item.get(name)
    if value is None:
        return None
    if isinstance(value, str) and _SHARE.fullmatch(value.strip()):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        remarks.append(f"{name} is not a number from 0 to 1; left out")
        return None
    return float(value)


def confidence_in(item: Item, least: float, remarks: list[str] | None = None) -> float | None:
    """How sure the model is. Raises RefusedItem if it is less than `least`. With `remarks` it may be missing."""
    confidence = share_in(item, "confidence", [] if remarks is None else remarks)
    if confidence is None and remarks is None:
        raise RefusedItem("confidence is not a number from 0 to 1")
    if confidence is not None and confidence < least:
        raise RefusedItem(f"its confidence is {confidence:.2f}; what is kept begins at {least:.2f}")
    return confidence


def happens_in(item: Item, given: IngestionInput, remarks: list[str]) -> str | None:
    """When it happens, as exactly as it was said. A date that can't be parsed is dropped, with a remark; so is the next
    birthday, which would be taken for a plan.
    """
    value = item.get("happens_at")
    if value in (None, ""):
        return None
    try:
        when = _when(value)
    except ValueError as error:
        remarks.append(f"happens_at {error}; left out")
        return None
    said_at = max(message.occurred_at for message in given.messages)
    if key_in(item) == BIRTHDAY and span_of(when, given.timezone).begins > said_at:
        remarks.append(f"happens_at {when} is the next birthday; left out")
        return None
    return when


def _when(value: Any) -> str:
    """A date, a time or a range in the form in which it is kept. Raises ValueError, naming the accepted forms."""
    said = "/".join(map(str, value)) if isinstance(value, list) else str(value)
    return happens_text(_in_digits(said) or said)


def _in_digits(said: str) -> str:
    """A date with its year as people write it, with a time of day or up to another one ("30 April 2026 at 3 pm",
    "2026-09-05 - 2026-09-07"), in the form of ISO 8601; "" for anything else.
    """
    folded, mentions = dates_in(said)
    days = [_digits_of(mention) for mention in sorted(mentions, key=lambda one: one.start)]
    places = sorted(mention[1:3] for mention in mentions)
    if not 1 <= len(days) <= 2 or not all(days):
        return ""
    before, rest = folded[: places[0][0]], folded[places[-1][1] :]
    if before.strip(" .,"):
        return ""
    if len(days) == 2:
        between = folded[places[0][1] : places[1][0]]
        return "/".join(days) if _UP_TO.fullmatch(between) and not rest.strip(" .") else ""
    if not rest.strip(" ."):
        return days[0]
    clock = _CLOCK.fullmatch(rest)
    if not clock or len(days[0]) < len("2026-04-30") or not (clock["minute"] or clock["sign"]):
        return ""
    hour = int(clock["hour"]) % 12 + 12 * (clock["half"] == "p") if clock["half"] else int(clock["hour"])
    return f"{days[0]}T{hour:02d}:{clock['minute'] or '00'}"


def _digits_of(mention: Mention) -> str:
    """The date of a mention; "" if it has no year."""
    year, month, day = astuple(mention.period)
    return (f"{year}-{month:02d}" + (f"-{day:02d}" if day else "")) if year else ""


def expiry_in(item: Item, given: IngestionInput, remarks: list[str]) -> datetime | None:
    """Until when it matters: a time, or to the end of a day, a month or a year. In the relationship's time zone, unless
    a time has an offset.
    """
    value = item.get("expires_at")
    if value in (None, ""):
        return None
    try:
        last = _when(value).rpartition("/")[2]
    except ValueError as error:
        remarks.append(f"expires_at {error}; left out")
        return None
    span = span_of(last, given.timezone)
    return span.begins if "T" in last else span.ends - timedelta(seconds=1)


def numbers_of(value: Any) -> tuple[int, ...] | None:
    if isinstance(value, str):
        value = value.strip("[] ").split(",")  # "1, 2" and "[1, 2]"
    items = value if isinstance(value, list) else [value]
    numbers = [number_of(item) for item in items]
    return None if any(number is None for number in numbers) else tuple(n for n in numbers if n is not None)


def number_of(value: Any) -> int | None:
    """3, 3.0, "3", "3.", "[3]", [3] and "entry 3" all mean 3."""
    if isinstance(value, list) and len(value) == 1:
        (value,) = value
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer() and abs(value) < _MOST:
        return int(value)
    if isinstance(value, int):
        return value
    if isinstance(value, str) and (one := _ONE_NUMBER.fullmatch(value)):
        return int(one[1])
    return None


def cleaned(value: Any) -> str:
    """Remove what can't be stored or displayed: control characters and lone surrogates."""
    if not isinstance(value, str):
        return ""
    return value.translate(_FORBIDDEN).encode("utf-8", "ignore").decode()


def short(item: Any, depth: int = 0) -> Any:
    """The raw item for storage: cleaned, and with limited depth and length."""
    if isinstance(item, dict | list) and depth == KEPT_DEPTH:
        return "..."
    if isinstance(item, dict):
        return {cleaned(str(name))[:40]: short(value, depth + 1) for name, value in list(item.items())[:20]}
    if isinstance(item, list):
        return [short(value, depth + 1) for value in item[:50]]
    if isinstance(item, str):
        return cleaned(item)[: settings.MAX_ENTRY_BYTES]
    if isinstance(item, int | float) and not abs(item) < 2**63:
        # The database's JSON has no NaN, and our answers have no number of more than 64 bits.
        return str(item)[:40]
    return item
