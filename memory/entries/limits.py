"""How much an entry may hold, and what is kept of a model's words. Whoever writes either asks here.

Each `..._fault` says what is wrong with a value, as a sentence without its subject; "" where nothing is.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

import orjson
from django.conf import settings

from relationships.services.limits import metadata_fault, name_fault
from web.errors import FieldProblem, InvalidInput

MAX_TAGS = 12
MAX_KEY = 80  # characters
MAX_WEIGHT = 100
MAX_REASON = 2000  # characters of why a change was made, or of why a turn failed
MAX_CALL_BYTES = 4_194_304  # of one text of a model call: about a million tokens
TYPE = r"^[a-z][a-z0-9_]{0,59}$"


def entry_fault(content: str) -> str:
    limit = settings.MAX_ENTRY_BYTES
    if len(content.encode("utf-8", "surrogatepass")) > limit:
        return f"is longer than {limit} bytes; an entry is one short statement"
    return "" if content.strip() else "is empty"


def tags_fault(tags: Mapping[str, Any]) -> str:
    return f"has {len(tags)} tags; an entry may have {MAX_TAGS}" if len(tags) > MAX_TAGS else ""


def operation_fault(operation: Any) -> str:
    """Of a proposed operation as it is kept on its turn."""
    limit = 65_536 + 4 * settings.MAX_ENTRY_BYTES
    return f"is longer than {limit} bytes" if len(orjson.dumps(operation)) > limit else ""


def call_text_fault(text: str) -> str:
    """Of what a model was asked or answered."""
    return f"is longer than {MAX_CALL_BYTES} bytes" if len(text.encode()) > MAX_CALL_BYTES else ""


def call_text(text: str) -> str:
    """What is kept of what a model was asked or answered: all of it, up to what no model takes."""
    if not call_text_fault(text):
        return text
    told = f"\n[cut: it had {len(text.encode())} bytes]"
    return text.encode()[: MAX_CALL_BYTES - len(told)].decode("utf-8", "ignore") + told


_FAULTS: dict[str, Callable[[Any], str]] = {
    "content": entry_fault,
    "type": lambda type: "" if re.match(TYPE, type) else "is no name of a type",
    "subject": lambda subject: name_fault(subject) if subject.strip() else "is empty",
    "key": lambda key: name_fault(key, MAX_KEY),
    "weight": lambda weight: "" if 0 <= weight <= MAX_WEIGHT else f"is not from 0 to {MAX_WEIGHT}",
    "tags": tags_fault,
    "metadata": metadata_fault,
}


def refuse_beyond_limits(values: Mapping[str, Any]) -> None:
    """What somebody would write into an entry, by column. Raises InvalidInput, naming the fields."""
    problems = [
        FieldProblem(name, said)
        for name, fault in _FAULTS.items()
        if values.get(name) is not None and (said := fault(values[name]))
    ]
    if problems:
        raise InvalidInput.naming(problems)
