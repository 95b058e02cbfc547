"""A summary without a model: sentences in which the person says something of themselves, quoted as they were said."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from math import log, sqrt

from providers.llm.base import PromptData

MARK = "Quoted from the conversation, not written by a model:"
NOTHING = (
    "Nothing is quoted here: no model wrote this, and by its rules the person said nothing of themselves."
)
SHORTEST, LONGEST = 5, 40  # words of a sentence that says something by itself
NAMED = 1.5  # what a name or a number in it adds to a sentence's score
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
_WORD = re.compile(r"[^\W_]{4,}")  # shorter words are mostly grammar
_ONES_OWN = re.compile(r"\b(?:I|my|mine|we|our|ours|me|us)\b", re.IGNORECASE)
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+|\d")


def extract_summary(prompt_data: PromptData) -> str:
    """Of the last summary's quotations and the person's new sentences those with the most telling words (by their
    inverse frequency: Spärck Jones, 1972), in order, within `words`. At least one, or that there is none.
    """
    earlier = [line[2:] for line in prompt_data.summary.splitlines() if line.startswith("- ")]
    candidates = list(dict.fromkeys([*earlier, *_quotations(prompt_data)]))
    used = Counter(word for line in candidates for word in set(_words(line)))
    ranked = sorted(
        range(len(candidates)), key=lambda place: -_score(candidates[place], used, len(candidates))
    )
    room = prompt_data.words - len(MARK.split())
    kept: list[int] = []
    for place in ranked:
        length = len(candidates[place].split()) + 1
        if length <= room or not kept:
            kept.append(place)
            room -= length
    if not kept:
        return NOTHING
    return "\n".join([MARK, *(f"- {candidates[place]}" for place in sorted(kept))])


def _quotations(prompt_data: PromptData) -> Iterable[str]:
    for message in prompt_data.messages:
        if message.role == "user":
            for sentence in map(str.strip, _SENTENCE.findall(message.content)):
                if SHORTEST <= len(sentence.split()) <= LONGEST and _tells(sentence):
                    yield f"{message.sent_at:%Y-%m-%d}, {message.speaker}: {sentence}"


def _tells(sentence: str) -> bool:
    """A statement of the person's about themselves or theirs."""
    return not sentence.endswith("?") and _ONES_OWN.search(sentence) is not None


def _said(line: str) -> str:
    return line.partition(": ")[2]


def _words(line: str) -> Sequence[str]:
    return _WORD.findall(_said(line).casefold())


def _score(line: str, used: Counter[str], lines: int) -> float:
    words = set(_words(line))
    telling = sum(log(1 + lines / used[word]) for word in words)
    names = len(set(_NAME.findall(_said(line))))
    return telling / sqrt(len(words) or 1) + NAMED * min(names, 3)
