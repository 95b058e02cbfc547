"""A summary without a model: quoted sentences in which the person says something about themselves."""

import re
from collections import Counter
from collections.abc import Iterable
from math import log, sqrt

from providers.llm.base import PromptData

MARK = "Quoted from the conversation, not written by a model:"
NOTHING = (
    "Nothing is quoted here: no model wrote this, and by its rules the person said nothing of themselves."
)
SHORTEST, LONGEST = 5, 40  # words of a sentence that can be quoted by itself
NAMED = 1.5  # added to a sentence's score for each name or number
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
_WORD = re.compile(r"[^\W_]{4,}")  # shorter words are mostly grammar
_ONES_OWN = re.compile(r"\b(?:I|my|mine|we|our|ours|me|us)\b", re.IGNORECASE)
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+|\d")


def extract_summary(prompt_data: PromptData) -> str:
    """Choose, from the last summary's quotations and the person's new sentences, those with the rarest words (inverse
    frequency: Spärck Jones, 1972), in order, within `words`. At least one; NOTHING if there are none.
    """
    earlier = [line[2:] for line in prompt_data.summary.splitlines() if line.startswith("- ")]
    candidates = list(dict.fromkeys([*earlier, *_quotations(prompt_data)]))
    used = Counter(word for line in candidates for word in _words(line))
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
                states = not sentence.endswith("?") and _ONES_OWN.search(sentence) is not None
                if states and SHORTEST <= len(sentence.split()) <= LONGEST:
                    yield f"{message.sent_at:%Y-%m-%d}, {message.speaker}: {sentence}"


def _words(line: str) -> set[str]:
    return set(_WORD.findall(line.partition(": ")[2].casefold()))


def _score(line: str, used: Counter[str], lines: int) -> float:
    words = _words(line)
    telling = sum(log(1 + lines / used[word]) for word in words)
    names = len(set(_NAME.findall(line.partition(": ")[2])))
    return telling / sqrt(len(words) or 1) + NAMED * min(names, 3)
