"""The line of a text in which something was found. Pure."""

import re
from dataclasses import dataclass

AROUND = 80  # characters on either side


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What was found, and what stands around it. `hit` is empty where the text has it in no such form."""

    before: str
    hit: str
    after: str


def excerpt_of(text: str, sought: str, *, words: bool = False) -> Excerpt:
    """Around `sought` as it stands, in any case; with `words`, around the first word that begins with one of its."""
    parts = re.findall(r"[^\W_]+", sought) if words else []
    pattern = rf"\b(?:{'|'.join(parts)})" if parts else re.escape(sought)
    found = re.search(pattern, text, re.IGNORECASE) if sought else None
    if found is None:
        return Excerpt(_end(text[: 2 * AROUND], text), "", "")
    begin = max(0, found.start() - AROUND)
    before = ("…" if begin else "") + text[begin : found.start()]
    return Excerpt(before, found[0], _end(text[found.end() : found.end() + AROUND], text[found.end() :]))


def _end(shown: str, whole: str) -> str:
    return shown + "…" if len(shown) < len(whole) else shown
