import re
import unicodedata
from functools import lru_cache

from memory.retrieval.gates.base import ContextGate, GateDecision, GateRequest


class KeywordsGate(ContextGate):
    """Opens when the message holds one of `gate.keywords`: whole words, in any case, white space as it comes."""

    slug = "keywords"

    def opens(self, request: GateRequest) -> GateDecision:
        match = _pattern(request.gate.keywords).search(request.message)
        if match is None:
            return GateDecision(False, "no keyword")
        return GateDecision(True, f'keyword "{" ".join(match[0].casefold().split())}"')


@lru_cache(maxsize=256)
def _pattern(keywords: tuple[str, ...]) -> re.Pattern[str]:
    """The longest keyword first, so that the reason names it. Without keywords: what matches nowhere."""
    phrases = [_bounded(words) for words in sorted(keywords, key=len, reverse=True) if words.strip()]
    return re.compile("|".join(phrases) or r"(?!)", re.IGNORECASE)


def _bounded(words: str) -> str:
    """A letter at an end must not go on into a longer word; scripts that join words have no such ends."""
    phrase = r"\s+".join(map(re.escape, words.split()))
    letters = words.strip()
    before = r"(?<!\w)" if _ends_a_word(letters[0]) else ""
    after = r"(?!\w)" if _ends_a_word(letters[-1]) else ""
    return f"{before}{phrase}{after}"


def _ends_a_word(sign: str) -> bool:
    return sign.isalnum() and unicodedata.category(sign) != "Lo"
