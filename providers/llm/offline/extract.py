"""A summary without a model: sentences of the person's that stand for the others, quoted as they were said."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from providers.llm.base import PromptData

MARK = "Quoted from the conversation, not written by a model:"
SHORTEST, LONGEST = 4, 40  # words of a sentence that says something by itself
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
_WORD = re.compile(r"[^\W_]{4,}")  # shorter words are mostly grammar


def extract_summary(prompt_data: PromptData) -> str:
    """Of the last summary's quotations and the person's new sentences those with the words said most (Luhn, 1958),
    in order, within `words`. At least one, where there is any.
    """
    earlier = [line[2:] for line in prompt_data.summary.splitlines() if line.startswith("- ")]
    candidates = list(dict.fromkeys([*earlier, *_quotations(prompt_data)]))
    common = Counter(word for line in candidates for word in _words(line))
    ranked = sorted(range(len(candidates)), key=lambda place: -_score(candidates[place], common))
    room = prompt_data.words - len(MARK.split())
    kept: list[int] = []
    for place in ranked:
        length = len(candidates[place].split())
        if length <= room or not kept:
            kept.append(place)
            room -= length
    return "\n".join([MARK, *(f"- {candidates[place]}" for place in sorted(kept))]) if kept else ""


def _quotations(prompt_data: PromptData) -> Iterable[str]:
    for message in prompt_data.messages:
        if message.role == "user":
            for sentence in _SENTENCE.findall(message.content):
                if SHORTEST <= len(sentence.split()) <= LONGEST and not sentence.rstrip().endswith("?"):
                    yield f"{message.sent_at:%Y-%m-%d}, {message.speaker}: {sentence.strip()}"


def _words(line: str) -> Sequence[str]:
    return _WORD.findall(line.partition(": ")[2].casefold())


def _score(line: str, common: Counter[str]) -> float:
    words = _words(line)
    return sum(common[word] for word in words) / (len(words) or 1)
