"""Store the language in which a relationship's two talk. It is detected again as the conversation grows."""

from collections.abc import Sequence
from functools import cache
from math import log2
from uuid import UUID

import numpy as np
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from config.postgresql.sessions import execute
from memory.retrieval.index.rows import spoken

SPOKEN = ("user", "assistant")
_NEWEST_MESSAGES = """
SELECT content FROM relationships_message
 WHERE relationship_id = %s AND erased_at IS NULL AND role IN ('user', 'assistant')
 ORDER BY seq DESC LIMIT %s
"""
_NEWEST_ENTRIES = """
SELECT content FROM memory_scratchpadentry
 WHERE relationship_id = %s AND state = 'active' ORDER BY id DESC LIMIT %s
"""
_KEEP = "UPDATE relationships_relationship SET language = %s WHERE id = %s AND language <> %s RETURNING id"


@cache
def known_languages() -> frozenset[str]:
    """The text search configurations that this PostgreSQL brings."""
    names = "SELECT cfgname::text FROM pg_ts_config WHERE cfgnamespace = 'pg_catalog'::regnamespace"
    return frozenset(name for (name,) in execute(names))


def looks_again(before: int, count: int, *, known: str) -> bool:
    """Return whether to detect the language, now that the messages have grown from `before` to `count`: each time their
    number doubles and, while none is `known`, also in between."""
    steps = 2 if known == UNKNOWN else 1
    return int(steps * log2(count)) > int(steps * log2(before))


def keep_language(relationship_id: UUID, said: Sequence[str] = ()) -> bool:
    """Detect the language of what was `said`, or of the newest messages, or else of the newest entries. Return whether
    it is another than before. If they are too few or mixed, the known one stays. Call it under the relationship's row
    lock."""
    found = language_of([spoken(text) for text in said or _newest(relationship_id)])
    if found == UNKNOWN:
        return False
    return bool(execute(_KEEP, [found, relationship_id, found]))


def _newest(relationship_id: UUID) -> list[str]:
    asked = [relationship_id, SAMPLE]
    return [text for (text,) in execute(_NEWEST_MESSAGES, asked) or execute(_NEWEST_ENTRIES, asked)]


UNKNOWN = ""
SAMPLE = 64  # newest messages that are read
LONGEST = 200  # characters of each
# Characters altogether: with more, every third or fifth message is read. Every second would be one speaker's.
ENOUGH = 4000
FEWEST_LETTERS = 60  # altogether
SHORTEST = 12  # letters of a message that has a vote, weighted by its letters
SURE, MAJORITY = 0.9, 0.6  # probability of all together; share of the votes
NO_STEMS = "simple"
# PostgreSQL's text search configurations, by ISO 639-1. Other known languages have no stems: `simple`.
CONFIGURATIONS = {
    "ar": "arabic", "hy": "armenian", "eu": "basque", "ca": "catalan", "da": "danish", "nl": "dutch", "en": "english",
    "fi": "finnish", "fr": "french", "de": "german", "el": "greek", "hi": "hindi", "hu": "hungarian",
    "id": "indonesian", "ga": "irish", "it": "italian", "lt": "lithuanian", "ne": "nepali", "no": "norwegian",
    "nb": "norwegian", "nn": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian",
    "es": "spanish", "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip


def language_of(texts: Sequence[str]) -> str:
    """The text search configuration for the language of most texts; UNKNOWN: they are too short, or mixed."""
    said = [text[:LONGEST] for text in texts[:SAMPLE]]
    said = said[:: 1 + 2 * (sum(map(len, said)) // ENOUGH)]
    letters = np.array([_letters(text) for text in said])
    if letters.sum() < FEWEST_LETTERS:
        return UNKNOWN
    identifier = _identifier()
    features = np.array([identifier.instance2fv(text, datatype=np.float32) for text in said])
    seen = np.flatnonzero(features.any(axis=0))  # a few hundred of the thousands that the model knows
    likely = features[:, seen] @ identifier.nb_ptc[seen]
    sure = identifier.norm_probs(likely.sum(axis=0) + identifier.nb_pc)
    language = int(sure.argmax())
    votes = (likely + identifier.nb_pc).argmax(axis=1)
    letters[letters < SHORTEST] = 0
    if sure[language] < SURE or letters[votes == language].sum() < MAJORITY * letters.sum():
        return UNKNOWN
    return CONFIGURATIONS.get(str(identifier.nb_classes[language]), NO_STEMS)


def _letters(text: str) -> int:
    """Count letters. A character of a script without spaces is a syllable or a word, and counts as three."""
    if text.isascii():
        return sum(map(str.isalpha, text))
    return sum(1 if ord(sign) < 0x0E00 else 3 for sign in text if sign.isalpha())


@cache
def _identifier() -> LanguageIdentifier:
    return LanguageIdentifier.from_pickled_model(MODEL_FILE, norm_probs=True)
