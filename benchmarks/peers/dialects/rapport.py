"""Rapport numbers what it shows and wants the numbers back.

The recipe `scratchpad` asks once, for operations; `two_call` for facts first, and then for decisions on them.
"""

import re
from typing import Any

from benchmarks.peers.dialects.base import Answer, Request, as_json
from benchmarks.peers.facts import Book, Move, moves_for

_ENTRY = re.compile(r"^\[(\d+)\] \([^)]*\) (.*)$", re.MULTILINE)
_FACT = re.compile(r"^\[(\d+)\] \(([^)]*)\) (.*)$", re.MULTILINE)
_MESSAGE = re.compile(r"^\[(\d+)\] [^\n(]*\(user\): (.*(?:\n    .*)*)$", re.MULTILINE)
_MESSAGES = re.compile(r"^New messages \(", re.MULTILINE)


def answer(request: Request, book: Book) -> Answer | None:
    """The last prompt that is one of its own: after an answer that broke off, it complains and asks for it again."""
    found = (told for prompt in request.said if (told := _answer(prompt, book)) is not None)
    return next(found, None)


def _answer(prompt: str, book: Book) -> Answer | None:
    if prompt.endswith("The operations, as JSON:"):
        return as_json({"operations": _operations(prompt, book)})
    if prompt.endswith("The facts, as JSON:"):
        return as_json({"facts": _facts(prompt, book)})
    if prompt.endswith("The decisions, as JSON:"):
        return as_json({"decisions": _decisions(prompt, book)})
    return None


def _operations(prompt: str, book: Book) -> list[dict[str, Any]]:
    above, below = _MESSAGES.split(prompt, maxsplit=1)
    numbers = [int(number) for number, _ in _ENTRY.findall(above)]
    shown = [content for _, content in _ENTRY.findall(above)]
    said = _said(below)
    moves = moves_for(book, [words for _, words in said], shown)
    return [_operation(move, numbers, said[move.said][0]) for move in moves]


def _operation(move: Move, numbers: list[int], message: int) -> dict[str, Any]:
    if move.at is None or move.at >= len(numbers):
        return {"op": "add", "type": move.type, "content": move.text, "messages": [message]}
    entry = {"op": move.kind, "entry": numbers[move.at], "messages": [message]}
    return entry | ({"content": move.text} if move.kind == "update" else {"reason": "asked to forget it"})


def _facts(prompt: str, book: Book) -> list[dict[str, Any]]:
    """Each change by itself: this call shows no entries."""
    facts = []
    for number, words in _said(_MESSAGES.split(prompt, maxsplit=1)[1]):
        for change in book.get(words, ()):
            fact = {"content": change.new or change.old, "type": change.type, "confidence": 0.95}
            facts.append({**fact, "messages": [number], **({} if change.new else {"forget": True})})
    return facts


def _decisions(prompt: str, book: Book) -> list[dict[str, Any]]:
    above, below = prompt.split("\nNew facts:\n", maxsplit=1)
    entries = {content: int(number) for number, content in _ENTRY.findall(above)}
    replaced = _replaced_by(book)
    return [
        _decision(int(number), content, "to be forgotten" in marks, entries, replaced.get(content, set()))
        for number, marks, content in _FACT.findall(below)
    ]


def _decision(
    fact: int, content: str, forget: bool, entries: dict[str, int], replaced: set[str]
) -> dict[str, Any]:
    """`replaced`: the texts that this fact takes the place of."""
    same = entries.get(content)
    if forget:
        gone = {"op": "DELETE", "entry": same, "content": ""}
        return {"fact": fact, **(gone if same else {"op": "NONE"})}
    if same:
        return {"fact": fact, "op": "NONE", "entry": same}
    old = next((number for text, number in entries.items() if text in replaced), None)
    if old is None:
        return {"fact": fact, "op": "ADD"}
    return {"fact": fact, "op": "DELETE", "entry": old, "content": content, "reason": "it has changed"}


def _replaced_by(book: Book) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for changes in book.values():
        for change in changes:
            if change.kind == "replace":
                found.setdefault(change.new, set()).add(change.old)
    return found


def _said(below: str) -> list[tuple[int, str]]:
    """The numbers and words of the person's messages."""
    return [(int(number), words.replace("\n    ", "\n").strip()) for number, words in _MESSAGE.findall(below)]
