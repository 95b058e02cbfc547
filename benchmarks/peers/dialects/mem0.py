"""mem0 2.x asks once: what is memorable in the new messages, beside the ten nearest memories. It only ever adds.

Its prompt says so ("Your sole operation is ADD"): what has changed is added beside what was, and linked to it, and a
wish to forget has no operation at all.
"""

import json
import re
from typing import Any

from benchmarks.peers.dialects.base import Answer, Request, as_json
from benchmarks.peers.facts import Book, moves_for

_ASKED = "You are a Memory Extractor"
_EXISTING = re.compile(r"^## Existing Memories\n(\[.*\])$", re.MULTILINE)
_NEW = re.compile(r"^## New Messages\n(.*?)\n\n## Observation Date$", re.MULTILINE | re.DOTALL)
_MESSAGE = re.compile(
    r"^(user|assistant|system): (.*?)(?=^(?:user|assistant|system): |\Z)", re.MULTILINE | re.DOTALL
)


def answer(request: Request, book: Book) -> Answer | None:
    if _ASKED not in request.system:
        return None
    existing, new = _EXISTING.search(request.last), _NEW.search(request.last)
    if existing is None or new is None:
        return None
    known = json.loads(existing[1])
    said = [text.strip() for role, text in _MESSAGE.findall(new[1] + "\n") if role == "user"]
    told: list[dict[str, Any]] = []
    for move in moves_for(book, said, [memory["text"] for memory in known]):
        if move.kind != "delete":
            linked = [] if move.at is None or move.at >= len(known) else [known[move.at]["id"]]
            memory = {"id": str(len(told)), "text": move.text, "attributed_to": "user"}
            told.append({**memory, "linked_memory_ids": linked})
    return as_json({"memory": told})
