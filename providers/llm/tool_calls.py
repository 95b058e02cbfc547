"""Joins the arguments of a model's function calls into one text.

A model that is forced to call one function may still call it twice, without arguments, or with invalid JSON. Only
unambiguous calls are joined; others are returned unchanged, and the caller can ask again.
"""

import json
from collections.abc import Sequence
from typing import Any


def arguments_text(calls: Sequence[str], parameters: dict[str, Any]) -> str:
    """The arguments of all calls as one JSON text; "" if there was no call.

    Several calls are joined if all parameters are lists, as in "record these". Otherwise each is on its own line,
    which does not parse as one answer. Missing arguments count as `{}`. Names are not checked, as only one function
    was offered.
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
