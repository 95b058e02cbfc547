"""From a message to the sentences in which the person plainly states something.

Left out are code, quotations, links, pasted chats, questions, conditions, wishes, fiction, jokes and tasks ("translate
this: ..."). What runs over the whole message, which may be 64 kB, is linear in its length.
"""

import re
from collections.abc import Iterator

from providers.llm.offline.patterns import part, pattern
from providers.normal_form import normal_form

MAX_SENTENCES = 1_500  # of one message; a pasted book may not hold a worker up
LONGEST_SENTENCE = 2_000  # characters

_FOLDED = str.maketrans(
    {
        "\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u00ab": '"',
        "\u00bb": '"', "\u00a0": " ", "\u2013": " - ", "\u2014": " - ", "\u2026": "... ",
        **dict.fromkeys("\u200b\u200c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff", ""),
    }
)  # fmt: skip
_TAKEN_OUT = (
    (re.compile(r"(?:```|~~~).*?(?:```|~~~|\Z)", re.DOTALL), "\n"),  # code
    (re.compile(r"`[^`\n]{0,400}`"), " "),
    (re.compile(r"(?:https?://|www\.)\S+"), " "),
    (re.compile(r"^[ \t]*>.*$", re.MULTILINE), ""),  # mail-style quotations
)
_EMOJI = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\U000e0020-\U000e007f]+")
_QUOTED = (
    re.compile(r'"([^"\n]{1,600})"'),
    re.compile(r"(?<!\w)'((?:[^'\n]|(?<=\w)'(?=\w)){1,300})'(?!\w)"),
)
_SPOKEN = pattern(r"\b(?:i|i'm|i've|me|my|we|our|you|your|forget|delete|ignore)\b")
_CHAT_LINE = re.compile(
    r"^[ \t]*(?:[-*][ \t]+)?(?:\[[\w .:/,-]{1,30}\][ \t]*)?<?[\w .]{1,30}>?:[ \t]+\S.*$", re.MULTILINE
)
_PROTECTED = re.compile(
    r"\b(?:Mr|Mrs|Ms|Dr|St|Prof|Jr|Sr|vs|etc|approx|a\.m|p\.m|e\.g|i\.e)\.|(?<=\d)\.(?=\d)|(?<=\w)\.(?=[a-z\d])"
    r"|\b[A-Z]\.(?=[A-Z ])"
)
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
_JOKE = pattern(r"\b(?:just kidding|only kidding|jk|just joking|only joking)\b")
_TASK = part("TASK")
_NOT_MEANT = part("NOT_MEANT")
_ASKS = part("ASKS")


def read_sentences(content: str) -> Iterator[str]:
    """The sentences of one message, in order, what is said twice once, white space made plain."""
    text = plain_speech(content)
    if _JOKE.search(text):
        return
    text = _PROTECTED.sub(lambda found: found.group().replace(".", "\x01"), text)
    for sentence in list(dict.fromkeys(_SENTENCE.findall(text)))[:MAX_SENTENCES]:
        if _TASK.match(sentence) and ":" in sentence:
            return  # the text to work on is what follows the colon, to the end
        if len(sentence) <= LONGEST_SENTENCE:
            yield " ".join(sentence.replace("\x01", ".").split())


def plain_speech(content: str) -> str:
    """The message without code, quoted lines and utterances, links and emoji, in plain quotation marks and spaces."""
    text = normal_form("NFC", content).translate(_FOLDED)
    for wording, instead in _TAKEN_OUT:
        text = wording.sub(instead, text)
    if len(_CHAT_LINE.findall(text)) >= 2:  # a pasted chat
        text = _CHAT_LINE.sub("", text)
    for wording in _QUOTED:
        text = wording.sub(_keep_titles, text)
    text = _EMOJI.sub(" . ", text)
    return text.lower() if _is_shouted(text[:400]) else text


def what_is_stated(sentence: str) -> str:
    """The part that states something: "I moved to Lisbon, did I tell you?" states the move. "" where none does."""
    if _NOT_MEANT.search(sentence) or _TASK.match(sentence) or _ASKS.match(sentence):
        return ""
    return sentence.rpartition(",")[0] if sentence.rstrip(" .!").endswith("?") else sentence


def _is_shouted(text: str) -> bool:
    cased = [character for character in text if character.lower() != character.upper()]
    return len(cased) > 12 and sum(character.isupper() for character in cased) > 0.8 * len(cased)


def _keep_titles(quoted: re.Match[str]) -> str:
    """A short quotation nobody speaks in is a title or a name: it stays, marks and all."""
    inside = quoted.group(1)
    return " " if _SPOKEN.search(inside) or inside.count(" ") > 6 else quoted.group()
