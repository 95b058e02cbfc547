"""What a model called a function with, as the one text that is handed up.

A model that was made to call one function may still call it twice, with nothing, or with something that is no
JSON. What is certain is put together here; the rest is handed up as it came, and whoever asked can ask again.
"""

import json
from collections.abc import Sequence
from typing import Any


def arguments_text(calls: Sequence[str], parameters: dict[str, Any]) -> str:
    """The arguments of every call as one JSON text; "" where there was no call.

    Several calls are one where the function takes nothing but lists, as in "record these": the lists are put
    together. Otherwise each stands on a line of its own, which nobody takes for one answer. A call without
    arguments is one with none, `{}`. The name that was called is not looked at: only one was on offer.
    """
    texts = [call.strip() or "{}" for call in calls]
    if len(texts) < 2:
        return "".join(texts)
    joined = _joined(texts, parameters)
    return "\n".join(texts) if joined is None else json.dumps(joined, ensure_ascii=False)


def _joined(texts: Sequence[str], parameters: dict[str, Any]) -> dict[str, list[Any]] | None:
    properties = parameters.get("properties", {})
    if not properties or any(value.get("type") != "array" for value in properties.values()):
        return None
    joined: dict[str, list[Any]] = {name: [] for name in properties}
    for text in texts:
        try:
            arguments = json.loads(text)
        except (ValueError, RecursionError):
            return None
        if not isinstance(arguments, dict) or not set(arguments) <= set(joined):
            return None
        for name, items in arguments.items():
            if not isinstance(items, list):
                return None
            joined[name] += items
    return joined
