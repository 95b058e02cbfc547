"""How each system asks, and how it wants to be answered.

What is known is read from the prompt itself, as a model would: nobody is told what was not shown to it.
"""

import ast
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.peers.facts import Book, Move, moves_for


class NotUnderstood(Exception):
    """A prompt in no known dialect: a system has changed how it asks, and its figures would mean nothing."""


@dataclass(frozen=True, slots=True)
class Request:
    """The body of a request to chat.completions."""

    body: Mapping[str, Any]

    @property
    def system(self) -> str:
        return "\n".join(text for role, text in self._texts() if role in ("system", "developer"))

    @property
    def last(self) -> str:
        """The last message's text."""
        return self._texts()[-1][1]

    @property
    def said(self) -> list[str]:
        """The texts of the user's side, the last first."""
        return [text for role, text in reversed(self._texts()) if role == "user"]

    @property
    def tools(self) -> list[str]:
        return [tool["function"]["name"] for tool in self.body.get("tools") or ()]

    @property
    def tokens(self) -> int:
        """What a vendor would bill as the prompt: messages, functions and schema."""
        texts = [text for _, text in self._texts()]
        texts += [json.dumps(tool["function"]) for tool in self.body.get("tools") or ()]
        schema = (self.body.get("response_format") or {}).get("json_schema")
        return sum(map(count_tokens, [*texts, json.dumps(schema)] if schema else texts))

    def _texts(self) -> list[tuple[str, str]]:
        return [(message["role"], _text_of(message.get("content"))) for message in self.body["messages"]]


@dataclass(frozen=True, slots=True)
class Answer:
    """Text, or functions to call: (name, arguments)."""

    text: str = ""
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)


def as_json(told: Any) -> Answer:
    return Answer(json.dumps(told, ensure_ascii=False))


def _text_of(content: Any) -> str:
    """A content is a text, or a list of parts."""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content or ())


def count_tokens(text: str) -> int:
    """Roughly as a vendor would, and for all systems alike."""
    return -(-len(text) // 4)


# LangMem asks for parallel function calls: Memory for what is new, PatchDoc and RemoveDoc for what was shown.
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
    """Several messages in a row come as one, a line each."""
    return [text] if text in book else text.splitlines()


def _langmem_call(move: Move, ids: list[str]) -> tuple[str, dict[str, Any]]:
    if move.at is None or move.at >= len(ids):
        return "Memory", {"content": move.text}
    if move.kind == "delete":
        return "RemoveDoc", {"json_doc_id": ids[move.at]}
    patch = {"op": "replace", "path": "/content", "value": move.text}
    return "PatchDoc", {"json_doc_id": ids[move.at], "planned_edits": "It has changed.", "patches": [patch]}


def _langmem_content(instance: str) -> str:
    """An instance is shown as Python writes a dictionary, or as pydantic does a model."""
    try:
        return str(ast.literal_eval(instance)["content"])
    except (ValueError, SyntaxError, KeyError, TypeError):
        told = re.search(r"content=(.*)$", instance, re.DOTALL)
        return str(ast.literal_eval(told[1])) if told else instance


# mem0 2.x asks once: what is memorable in the new messages, beside the ten nearest memories. It only ever adds. Its
# prompt says so ("Your sole operation is ADD"): what has changed is added beside what was, and linked to it, and a wish
# to forget has no operation at all.
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


# Rapport numbers what it shows and wants the numbers back. The recipe `scratchpad` asks once, for operations;
# `two_call` for facts first, and then for decisions on them. A wish to forget is judged by a call of its own.
_ENTRY = re.compile(r"^\[(\d+)\] \([^)]*\) (.*)$", re.MULTILINE)
_FACT = re.compile(r"^\[(\d+)\] \(([^)]*)\) (.*)$", re.MULTILINE)
_MESSAGE = re.compile(r"^\[(\d+)\] [^\n(]*\(user\): (.*(?:\n    .*)*)$", re.MULTILINE)
_MESSAGES = re.compile(r"^New messages \(", re.MULTILINE)
_WISH = re.compile(r"^WISH: (.*)$", re.MULTILINE)


def _rapport(request: Request, book: Book) -> Answer | None:
    """The last prompt that is one of its own: after an answer that broke off, it complains and asks for it again."""
    found = (told for prompt in request.said if (told := _rapport_answer(prompt, book)) is not None)
    return next(found, None)


def _rapport_answer(prompt: str, book: Book) -> Answer | None:
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
    """Each change by itself: this call shows no entries."""
    facts = []
    for number, words in _said(_MESSAGES.split(prompt, maxsplit=1)[1]):
        for change in book.get(words, ()):
            fact = {"content": change.new or change.old, "type": "other", "confidence": 0.95}
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


def _forgotten(prompt: str, book: Book) -> list[dict[str, Any]]:
    """The entries that say what the wish is about, and the messages that told it."""
    wish = _WISH.search(prompt)
    assert wish is not None, prompt
    ended = {
        change.old
        for words, changes in book.items()
        if wish[1] in words
        for change in changes
        if change.old and not change.new
    }
    return [
        {"number": int(number)}
        for number, text in _ENTRY.findall(prompt)
        if text in ended or any(change.new in ended for change in book.get(text, ()))
    ]


def _replaced_by(book: Book) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for changes in book.values():
        for change in changes:
            if change.new and change.old:
                found.setdefault(change.new, set()).add(change.old)
    return found


def _said(below: str) -> list[tuple[int, str]]:
    """The numbers and words of the person's messages."""
    return [(int(number), words.replace("\n    ", "\n").strip()) for number, words in _MESSAGE.findall(below)]


def answer(request: Request, book: Book) -> Answer:
    """Raises NotUnderstood."""
    for dialect in (_langmem, _mem0, _rapport):
        said = dialect(request, book)
        if said is not None:
            return said
    raise NotUnderstood(f"Nobody asks like this: {request.last[:200]!r}")
