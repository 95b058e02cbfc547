"""The kinds of file a conversation can come in. Each is one module: `recognises(data)` and `parse(data, source)`.

`parse` raises InvalidInput, whose problems name the fields by dotted path.
"""

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from memory.demo.formats import locomo, rapport

FORMATS: tuple[ModuleType, ...] = (rapport, locomo)


def format_of(data: Mapping[str, Any]) -> ModuleType | None:
    """The format this file is written in, by the look of it."""
    return next((known for known in FORMATS if known.recognises(data)), None)
