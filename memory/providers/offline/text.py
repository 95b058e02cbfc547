"""Takes out of a message what is not the person's own plain speech: code, quotations, links, pasted chats, emoji.

Everything here runs once over the whole message, which may be 64 kB, so every pattern is linear in its length.
"""

import re

from memory.normal_form import normal_form
from memory.providers.offline.patterns import pattern

_FOLDED = str.maketrans(
    {
        "\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u00ab": '"',
        "\u00bb": '"', "\u00a0": " ", "\u2013": " - ", "\u2014": " - ", "\u2026": "... ",
        **dict.fromkeys("\u200b\u200c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff", ""),
    }
)  # fmt: skip
_CODE_BLOCK = re.compile(r"(?:```|~~~).*?(?:```|~~~|\Z)", re.DOTALL)
_INLINE_CODE = re.compile(r"`[^`\n]{0,400}`")
_LINK = re.compile(r"(?:https?://|www\.)\S+")
_EMOJI = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\U000e0020-\U000e007f]+")
_QUOTED = re.compile(r'"([^"\n]{1,600})"')
_SINGLE_QUOTED = re.compile(r"(?<!\w)'((?:[^'\n]|(?<=\w)'(?=\w)){1,300})'(?!\w)")
_SPOKEN = pattern(r"\b(?:i|i'm|i've|me|my|we|our|you|your|forget|delete|ignore)\b")
_CHAT_LINE = re.compile(
    r"^[ \t]*(?:[-*][ \t]+)?(?:\[[\w .:/,-]{1,30}\][ \t]*)?<?[\w .]{1,30}>?:[ \t]+\S", re.MULTILINE
)


def plain_speech(content: str) -> str:
    """The message without code, quoted lines and utterances, links and emoji, in plain quotation marks and spaces."""
    text = normal_form("NFC", content).translate(_FOLDED)
    text = _CODE_BLOCK.sub("\n", text)
    text = _INLINE_CODE.sub(" ", text)
    text = _LINK.sub(" ", text)
    text = _own_lines(text)
    text = _QUOTED.sub(_keep_titles, text)
    text = _SINGLE_QUOTED.sub(_keep_titles, text)
    text = _EMOJI.sub(" . ", text)
    return text.lower() if _is_shouted(text[:400]) else text


def _is_shouted(text: str) -> bool:
    cased = [character for character in text if character.lower() != character.upper()]
    return len(cased) > 12 and sum(character.isupper() for character in cased) > 0.8 * len(cased)


def _own_lines(text: str) -> str:
    """Without mail-style quotations, and without a pasted chat (two lines or more that begin with a speaker)."""
    if ">" not in text and ":" not in text:
        return text
    pasted_chat = len(_CHAT_LINE.findall(text)) >= 2
    return "\n".join(
        line
        for line in text.split("\n")
        if not line.lstrip().startswith(">") and not (pasted_chat and _CHAT_LINE.match(line))
    )


def _keep_titles(quoted: re.Match[str]) -> str:
    """A short quotation nobody speaks in is a title or a name: it stays, marks and all."""
    inside = quoted.group(1)
    return " " if _SPOKEN.search(inside) or inside.count(" ") > 6 else quoted.group()
