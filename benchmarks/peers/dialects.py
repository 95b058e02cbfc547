"""Reads each system's prompts, and writes the answers that it expects, from the prompt and a book of facts."""

import ast
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from benchmarks.peers.stories import Book, Move, moves_for


class NotUnderstood(Exception):
    """A prompt of unknown form, as after a system changed its prompts."""


class Request:
    """A request to chat.completions. `last`: the text of the last message; `said`: the user's texts, the last first;
    `tools`: names of functions; `tokens`: of the prompt, as billed.
    """

    def __init__(self, body: Mapping[str, Any]) -> None:
        texts = [(message["role"], _text_of(message.get("content"))) for message in body["messages"]]
        functions = [tool["function"] for tool in body.get("tools") or ()]
        schema = (body.get("response_format") or {}).get("json_schema")
        self.system = "\n".join(text for role, text in texts if role in ("system", "developer"))
        self.last = texts[-1][1]
        self.said = [text for role, text in reversed(texts) if role == "user"]
        self.tools = [function["name"] for function in functions]
        billed = [text for _, text in texts] + [json.dumps(one) for one in (*functions, schema) if one]
        self.tokens = sum(map(count_tokens, billed))


class Answer(NamedTuple):
    """A text, or calls of functions: (name, arguments)."""

    text: str = ""
    calls: Sequence[tuple[str, dict[str, Any]]] = ()


def as_json(told: Any) -> Answer:
    return Answer(json.dumps(told, ensure_ascii=False))


def _text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content or ())


def count_tokens(text: str) -> int:
    """A quarter of the characters, for all systems alike."""
    return -(-len(text) // 4)


# LangMem asks for parallel function calls: Memory adds, PatchDoc and RemoveDoc change what was shown.
_INSTANCE = re.compile(r'<instance id=(\S+) schema_type="[^"]*">\n(.*?)\n</instance>', re.DOTALL)
_SESSION = re.compile(r"<session_[^>]*>\n(.*?)\n</session_", re.DOTALL)
_HEADING = re.compile(r"^=+ (\w+) Message =+$", re.MULTILINE)


def _langmem(request: Request, book: Book) -> Answer | None:
    if "Memory" not in request.tools:
        return None
    session = _SESSION.search(request.last)
    if session is None:
        return None
    shown = [(id, _langmem_content(text)) for id, text in _INSTANCE.findall(request.system)]
    parts = _HEADING.split(session[1])
    said = [
        line
        for role, text in zip(parts[1::2], parts[2::2], strict=True)
        if role == "Human"
        for line in _langmem_messages(text.strip(), book)
    ]
    ids = [id for id, _ in shown]
    calls = [_langmem_call(move, ids) for move in moves_for(book, said, [text for _, text in shown])]
    return Answer(calls=[call for call in calls if call[0] in request.tools])


def _langmem_messages(text: str, book: Book) -> list[str]:
    """The messages in a text; several in a row are lines of one text."""
    return [text] if text in book else text.splitlines()


def _langmem_call(move: Move, ids: list[str]) -> tuple[str, dict[str, Any]]:
    if move.at is None or move.at >= len(ids):
        return "Memory", {"content": move.text}
    if move.kind == "delete":
        return "RemoveDoc", {"json_doc_id": ids[move.at]}
    patch = {"op": "replace", "path": "/content", "value": move.text}
    return "PatchDoc", {"json_doc_id": ids[move.at], "planned_edits": "It has changed.", "patches": [patch]}


def _langmem_content(instance: str) -> str:
    """The content of an instance, which is the repr of a dictionary or of a pydantic model."""
    try:
        return str(ast.literal_eval(instance)["content"])
    except (ValueError, SyntaxError, KeyError, TypeError):
        told = re.search(r"content=(.*)$", instance, re.DOTALL)
        return str(ast.literal_eval(told[1])) if told else instance


# mem0 2.x asks once what is memorable in the new messages, and shows the ten nearest memories. Its prompt allows only
# additions ("Your sole operation is ADD"): a changed fact is linked to the old one, and nothing can be forgotten.
_ASKED = "You are a Memory Extractor"
_EXISTING = re.compile(r"^## Existing Memories\n(\[.*\])$", re.MULTILINE)
_NEW = re.compile(r"^## New Messages\n(.*?)\n\n## Observation Date$", re.MULTILINE | re.DOTALL)
_ROLE_LINE = re.compile(
    r"^(user|assistant|system): (.*?)(?=^(?:user|assistant|system): |\Z)", re.MULTILINE | re.DOTALL
)


def _mem0(request: Request, book: Book) -> Answer | None:
    if _ASKED not in request.system:
        return None
    existing, new = _EXISTING.search(request.last), _NEW.search(request.last)
    if existing is None or new is None:
        return None
    known = json.loads(existing[1])
    said = [text.strip() for role, text in _ROLE_LINE.findall(new[1] + "\n") if role == "user"]
    told: list[dict[str, Any]] = []
    for move in moves_for(book, said, [memory["text"] for memory in known]):
        if move.kind != "delete":
            linked = [] if move.at is None or move.at >= len(known) else [known[move.at]["id"]]
            memory = {"id": str(len(told)), "text": move.text, "attributed_to": "user"}
            told.append({**memory, "linked_memory_ids": linked})
    return as_json({"memory": told})


# Rapport numbers what it shows, and answers refer to the numbers. The recipe `scratchpad` asks for operations, and
# `two_call` for facts, then for decisions on them. A wish to forget is judged in a separate call.
_ENTRY = re.compile(r"^\[(\d+)\] \([^)]*\) (.*)$", re.MULTILINE)
_FACT = re.compile(r"^\[(\d+)\] \(([^)]*)\) (.*)$", re.MULTILINE)
_MESSAGE = re.compile(r"^\[(\d+)\] [^\n(]*\(user\): (.*(?:\n    .*)*)$", re.MULTILINE)
_MESSAGES = re.compile(r"^New messages \(", re.MULTILINE)
_WISH = re.compile(r"^WISH: (.*)$", re.MULTILINE)


def _rapport(request: Request, book: Book) -> Answer | None:
    """Answer the last complete prompt, as after a truncated answer it is followed by a complaint."""
    for prompt in request.said:
        if prompt.endswith("The operations, as JSON:"):
            return as_json({"operations": _operations(prompt, book)})
        if prompt.endswith("The facts, as JSON:"):
            return as_json({"facts": _facts(prompt, book)})
        if prompt.endswith("The decisions, as JSON:"):
            return as_json({"decisions": _decisions(prompt, book)})
        if prompt.startswith("A person wants something forgotten."):
            return as_json({"says": _forgotten(prompt, book), "unsure": []})
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
        return {"op": "add", "type": "other", "content": move.text, "messages": [message]}
    entry = {"op": move.kind, "entry": numbers[move.at], "messages": [message]}
    return entry | ({"content": move.text} if move.kind == "update" else {"reason": "asked to forget it"})


def _facts(prompt: str, book: Book) -> list[dict[str, Any]]:
    """One fact for each change, as this call shows no entries."""
    facts = []
    for number, words in _said(_MESSAGES.split(prompt, maxsplit=1)[1]):
        for change in book.get(words, ()):
            fact = {"content": change.new or change.old, "type": "other", "confidence": 0.95}
            facts.append({**fact, "messages": [number], **({} if change.new else {"forget": True})})
    return facts


def _decisions(prompt: str, book: Book) -> list[dict[str, Any]]:
    above, below = prompt.split("\nNew facts:\n", maxsplit=1)
    entries = {content: int(number) for number, content in _ENTRY.findall(above)}
    known = [change for changes in book.values() for change in changes]
    decisions = []
    for number, marks, content in _FACT.findall(below):
        same = entries.get(content)
        replaced = {change.old for change in known if change.new == content and change.old}
        old = next((entry for text, entry in entries.items() if text in replaced), None)
        if "to be forgotten" in marks:
            decision = {"op": "DELETE", "entry": same, "content": ""} if same else {"op": "NONE"}
        elif same:
            decision = {"op": "NONE", "entry": same}
        elif old:
            decision = {"op": "DELETE", "entry": old, "content": content, "reason": "it has changed"}
        else:
            decision = {"op": "ADD"}
        decisions.append({"fact": int(number), **decision})
    return decisions


def _forgotten(prompt: str, book: Book) -> list[dict[str, Any]]:
    """The shown entries that the wish ends, and the messages that told them."""
    wish = _WISH.search(prompt)
    assert wish is not None, prompt
    told = [change for words, changes in book.items() if wish[1] in words for change in changes]
    ended = {change.old for change in told if not change.new}
    return [
        {"number": int(number)}
        for number, text in _ENTRY.findall(prompt)
        if text in ended or any(change.new in ended for change in book.get(text, ()))
    ]


def _said(below: str) -> list[tuple[int, str]]:
    """The numbers and texts of the person's messages."""
    return [(int(number), words.replace("\n    ", "\n").strip()) for number, words in _MESSAGE.findall(below)]


def answer(request: Request, book: Book) -> Answer:
    """Raises NotUnderstood."""
    for dialect in (_langmem, _mem0, _rapport):
        said = dialect(request, book)
        if said is not None:
            return said
    raise NotUnderstood(f"No system asks like this: {request.last[:200]!r}")
