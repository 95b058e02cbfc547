"""Finds the language in which two people talk, from what they said, so that nobody has to name it.

By py3langid (Lui and Baldwin 2012, in numpy): its 97 languages are 0.7 MB in the wheel, and a text takes .1 ms. One
short message is often taken for another language; many together are not. So each message has a vote, and what is too
little, or mixed, has no language: then words count as they stand.
"""

from collections import Counter
from collections.abc import Sequence
from functools import cache

from py3langid.langid import MODEL_FILE, LanguageIdentifier

UNKNOWN = ""
SAMPLE = 64  # messages, the newest, that are looked at
LONGEST = 400  # characters of each
FEWEST_LETTERS = 60  # of all together
SHORTEST = 12  # letters of a message that has a vote, weighed by its letters
SURE, MAJORITY = 0.9, 0.6  # of all together; of the votes
NO_STEMS = "simple"
# PostgreSQL's text search configurations, by ISO 639-1. Other languages are known, but have no stems: `simple`.
CONFIGURATIONS = {
    "ar": "arabic",
    "hy": "armenian",
    "eu": "basque",
    "ca": "catalan",
    "da": "danish",
    "nl": "dutch",
    "en": "english",
    "fi": "finnish",
    "fr": "french",
    "de": "german",
    "el": "greek",
    "hi": "hindi",
    "hu": "hungarian",
    "id": "indonesian",
    "ga": "irish",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "no": "norwegian",
    "nb": "norwegian",
    "nn": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "es": "spanish",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
}


def language_of(texts: Sequence[str]) -> str:
    """The text search configuration of the language that most of the texts are in; UNKNOWN: too little, or mixed."""
    said = [text[:LONGEST] for text in texts[:SAMPLE]]
    together = " ".join(said)
    if _letters(together) < FEWEST_LETTERS:
        return UNKNOWN
    language, sure = _classify(together)
    votes: Counter[str] = Counter()
    for text in said:
        if (letters := _letters(text)) >= SHORTEST:
            votes[_classify(text)[0]] += letters
    if sure < SURE or (votes and votes[language] < MAJORITY * votes.total()):
        return UNKNOWN
    return CONFIGURATIONS.get(language, NO_STEMS)


def _letters(text: str) -> int:
    """A sign of a script without spaces stands for a syllable or a word, and counts for three."""
    return sum(1 if ord(sign) < 0x0E00 else 3 for sign in text if sign.isalpha())


def _classify(text: str) -> tuple[str, float]:
    language, sure = _identifier().classify(text)
    return str(language), float(sure)


@cache
def _identifier() -> LanguageIdentifier:
    return LanguageIdentifier.from_pickled_model(MODEL_FILE, norm_probs=True)
