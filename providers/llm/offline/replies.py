"""What stands in the place of a reply: that there is no model, and what one would know now."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

MARK = "[No model is set up, so this is no reply of one.]"
LINES = 8  # of what is remembered that are quoted
_WORD = re.compile(r"\s*\S+\s*?(?=\s|$)|\s+$")


def reply_of(messages: Sequence[Mapping[str, Any]]) -> str:
    """Quotes the items of the lists in the system's messages."""
    told = "\n".join(str(message.get("content") or "") for message in messages if message["role"] == "system")
    known = [line.removeprefix("- ") for line in told.splitlines() if line.startswith("- ")]
    if not known:
        return f"{MARK} Nothing is remembered yet; tell me something about yourself."
    lines = "\n".join(f"- {line}" for line in known[:LINES])
    more = f"\n... and {len(known) - LINES} more" if len(known) > LINES else ""
    return f"{MARK} What a model would know now:\n{lines}{more}"


def words_of(text: str) -> Iterator[str]:
    """The text in pieces of a word, as models stream; joined they are the text."""
    place = 0
    for word in _WORD.finditer(text):
        yield text[place : word.end()]
        place = word.end()
    if place < len(text):
        yield text[place:]
