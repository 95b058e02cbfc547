"""Size limits of entries, and of models' prompts and answers. Every writer checks them here.

Each `..._fault` says what is wrong with a value, as a sentence without its subject; "" if nothing is.
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import orjson
from django.conf import settings

from relationships.services.limits import metadata_fault, name_fault
from web.errors import FieldProblem, InvalidInput

# Columns that people may set. All others are set by the code.
EDITABLE = frozenset(
    "type subject content key single_valued importance confidence weight pinned read_only tags category metadata"
    " modality tier happens_at valid_from valid_to expires_at effective_at".split()
)

MAX_TAGS = 12
MAX_KEY = 80  # characters
MAX_WEIGHT = 100
MAX_REASON = 2000  # characters of why a change was made, or of why a turn failed
MAX_CALL_BYTES = 4_194_304  # of one text of a model call: about a million tokens
TYPE = r"^[a-z][a-z0-9_]{0,59}$"
CATEGORY = r"^([a-z][a-z0-9_]{0,59})?$"
MODALITY = r"^[a-z][a-z0-9_]{0,19}$"
TAG_NAME = r"^[A-Za-z0-9_.:-]{1,60}$"
# The clocks of two machines may differ. A time further ahead is a mistake, and would outrank every later fact.
FUTURE_TOLERANCE_SECONDS = 300


def entry_fault(content: str) -> str:
    limit = settings.MAX_ENTRY_BYTES
    if len(content.encode("utf-8", "surrogatepass")) > limit:
        return f"is longer than {limit} bytes; an entry is one short statement"
    if "\x00" in content:
        return "holds a NUL character, which can't be kept; leave it out"
    return "" if content.strip() else "is empty"


def tags_fault(tags: Mapping[str, Any]) -> str:
    if len(tags) > MAX_TAGS:
        return f"has {len(tags)} tags; an entry may have {MAX_TAGS}"
    whole = all(_is(TAG_NAME, name) and not name_fault(value) for name, value in tags.items())
    return "" if whole else "has a name or value that no tag may have"


def operation_fault(operation: Any) -> str:
    """Check a proposed operation in the form in which it is stored."""
    limit = 65_536 + 4 * settings.MAX_ENTRY_BYTES
    return f"is longer than {limit} bytes" if len(orjson.dumps(operation)) > limit else ""


def call_text_fault(text: str) -> str:
    """Check a prompt or an answer of a model."""
    return f"is longer than {MAX_CALL_BYTES} bytes" if len(text.encode()) > MAX_CALL_BYTES else ""


def call_text(text: str) -> str:
    """A prompt or answer as it is stored: cut off only above MAX_CALL_BYTES, which is more than models accept."""
    if not call_text_fault(text):
        return text
    told = f"\n[cut: it had {len(text.encode())} bytes]"
    return text.encode()[: MAX_CALL_BYTES - len(told)].decode("utf-8", "ignore") + told


def _is(pattern: str, text: str) -> bool:
    return re.fullmatch(pattern, text) is not None


def _share_fault(share: float) -> str:
    return "" if 0 <= share <= 1 else "is not from 0 to 1"


_FAULTS: dict[str, Callable[[Any], str]] = {
    "content": entry_fault,
    "type": lambda type: "" if _is(TYPE, type) else "is no name of a type",
    "category": lambda category: "" if _is(CATEGORY, category) else "is no name of a category",
    "modality": lambda modality: "" if _is(MODALITY, modality) else "is no name of a modality",
    "subject": lambda subject: name_fault(subject) if subject.strip() else "is empty",
    "key": lambda key: name_fault(key, MAX_KEY),
    "importance": _share_fault,
    "confidence": _share_fault,
    "weight": lambda weight: "" if 0 <= weight <= MAX_WEIGHT else f"is not from 0 to {MAX_WEIGHT}",
    "tags": tags_fault,
    "metadata": metadata_fault,
}


def refuse_beyond_limits(values: Mapping[str, Any]) -> None:
    """Check new values of an entry, by column. Raises InvalidInput, naming the fields."""
    problems = [
        FieldProblem(name, said)
        for name, fault in _FAULTS.items()
        if values.get(name) is not None and (said := fault(values[name]))
    ]
    if problems:
        raise InvalidInput.naming(problems)


def refuse_empty_period(valid_from: datetime | None, valid_to: datetime | None) -> None:
    """A period that ends before it begins would never be shown. Raises InvalidInput."""
    if valid_from is not None and valid_to is not None and valid_to <= valid_from:
        raise InvalidInput.of("valid_to", "must be after valid_from")


def refuse_future(times: Mapping[str, datetime], *, now: datetime) -> None:
    """Refuse future times of when something was said. `times`: by field. Raises InvalidInput."""
    for field, time in times.items():
        if is_future(time, now=now):
            raise InvalidInput.of(field, "is in the future; leave it out if it was just now")


def is_future(time: datetime, *, now: datetime) -> bool:
    return (time - now).total_seconds() > FUTURE_TOLERANCE_SECONDS


def refuse_changes_beyond_limits(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> None:
    """Check only what changed: an entry may be older than a limit. Raises InvalidInput, naming the fields."""
    was = before or {}
    refuse_beyond_limits({name: after[name] for name in _FAULTS if after[name] != was.get(name)})


def editable(values: Mapping[str, Any]) -> dict[str, Any]:
    unknown = set(values) - EDITABLE
    assert not unknown, f"not for people to set: {unknown}"
    return dict(values)
