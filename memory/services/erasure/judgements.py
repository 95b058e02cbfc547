"""Empties what a turn keeps of its operations. Pure: stored judgements in, stored judgements out."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from memory.services.erasure.words import Words

_OPS = ("add", "update", "delete", "replace", "none")
_DIGITS = re.compile(r"\d{1,9}")


def numbers_in(value: Any) -> frozenset[int]:
    """Every number in what a model wrote: 3, "3", "[3]", [3, "4"]. Rather one too many than one too few."""
    return frozenset(int(digits) for digits in _DIGITS.findall(str(value)))


def speaks_of(item: Mapping[str, Any], words: Words, *, shown_as: Iterable[int]) -> bool:
    """Whether a judgement is about what is to be forgotten. `shown_as`: its numbers in that call."""
    raw = item["operation"] if isinstance(item["operation"], dict) else {}
    ids = {str(entry_id) for entry_id in words.entries}
    return (
        item["entry_id"] in ids
        or any(entry_id in item["reason"] for entry_id in ids)
        or not numbers_in(raw.get("entry")).isdisjoint(shown_as)
        or words.said_by(raw.get("content"))
        or any(words.quoted_in(text) for text in _texts([item["operation"], item["reason"]]))
    )


def rests_on(item: Mapping[str, Any], *, shown_as: Iterable[int]) -> bool:
    """Whether a judgement cites one of the messages that had these numbers, or may have cited any."""
    raw = item["operation"]
    if not isinstance(raw, dict):
        return True
    return not numbers_in(raw.get("messages")).isdisjoint(shown_as)


def emptied(item: Mapping[str, Any]) -> dict[str, Any]:
    """What was done to which number stays, and what became of it; every text goes."""
    raw = item["operation"] if isinstance(item["operation"], dict) else {}
    operation: dict[str, Any] = {"erased": True, "messages": sorted(numbers_in(raw.get("messages")))}
    if raw.get("op") in _OPS:
        operation["op"] = raw["op"]
    if raw.get("entry") is not None:
        operation["entry"] = min(numbers_in(raw["entry"]), default=None)
    return {
        "operation": operation,
        "verdict": item["verdict"],
        "reason": "",
        "entry_id": item["entry_id"],
        "call_id": item.get("call_id"),
    }


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _texts([*value.keys(), *value.values()])
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)
