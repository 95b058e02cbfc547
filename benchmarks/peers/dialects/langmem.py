"""LangMem asks for parallel function calls: Memory for what is new, PatchDoc and RemoveDoc for what was shown."""

import ast
import re
from typing import Any

from benchmarks.peers.dialects.base import Answer, Request
from benchmarks.peers.facts import Book, Move, moves_for

_INSTANCE = re.compile(r'<instance id=(\S+) schema_type="[^"]*">\n(.*?)\n</instance>', re.DOTALL)
_SESSION = re.compile(r"<session_[^>]*>\n(.*?)\n</session_", re.DOTALL)
_HEADING = re.compile(r"^=+ (\w+) Message =+$", re.MULTILINE)


def answer(request: Request, book: Book) -> Answer | None:
    if "Memory" not in request.tools:
        return None
    session = _SESSION.search(request.last)
    if session is None:
        return None
    shown = [(id, _content(text)) for id, text in _INSTANCE.findall(request.system)]
    parts = _HEADING.split(session[1])
    said = [
        line
        for role, text in zip(parts[1::2], parts[2::2], strict=True)
        if role == "Human"
        for line in _messages(text.strip(), book)
    ]
    ids = [id for id, _ in shown]
    calls = [_call(move, ids) for move in moves_for(book, said, [text for _, text in shown])]
    return Answer(calls=[call for call in calls if call[0] in request.tools])


def _messages(text: str, book: Book) -> list[str]:
    """Several messages in a row come as one, a line each."""
    return [text] if text in book else text.splitlines()


def _call(move: Move, ids: list[str]) -> tuple[str, dict[str, Any]]:
    if move.at is None or move.at >= len(ids):
        return "Memory", {"content": move.text}
    if move.kind == "delete":
        return "RemoveDoc", {"json_doc_id": ids[move.at]}
    patch = {"op": "replace", "path": "/content", "value": move.text}
    return "PatchDoc", {"json_doc_id": ids[move.at], "planned_edits": "It has changed.", "patches": [patch]}


def _content(instance: str) -> str:
    """An instance is shown as Python writes a dictionary, or as pydantic does a model."""
    try:
        return str(ast.literal_eval(instance)["content"])
    except (ValueError, SyntaxError, KeyError, TypeError):
        told = re.search(r"content=(.*)$", instance, re.DOTALL)
        return str(ast.literal_eval(told[1])) if told else instance
