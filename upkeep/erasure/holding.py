"""Find the messages of a relationship that contain the words of an entry to be erased. Only reads.

The database finds candidates by the beginnings of words; the rest is decided here.
"""

import re
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.db.models import BooleanField
from django.db.models.expressions import RawSQL

from config.postgresql.sessions import execute
from memory.mending.candidates import language_in
from memory.retrieval.index.configs import config_of
from memory.retrieval.index.text import words_for_index
from memory.words import WORD
from providers.normal_form import normal_form
from relationships.models import Message

# Letters and digits, joined by what identifiers may contain: 2026-03-02, 3.5, eva@firm.org.
_JOINED = re.compile(rf"{WORD}(?:[-.@_]+{WORD})*")
_PART = re.compile(WORD)
_IDENTIFIER = re.compile(r"[\d@]")
_ACCENTS = re.compile("[\u0300-\u036f]")
_HYPHENS = re.compile("[\u2010\u2011]")
BEGINNING = 3  # letters: two words that begin differently have different stems

Stems = Mapping[str, Collection[str]]  # by word; a stop word has none


def telling_words(content: str, *, stems: Stems, people: Collection[str] = ()) -> frozenset[str]:
    """The content's words without stop words, and without names of `people`, unless little else is left."""
    words = frozenset(word for word in words_of_entry(content) if is_identifier(word) or stems.get(word))
    others = words - {word for name in people for word in words_of_entry(name)}
    return others if len(others) > 1 or any(map(is_identifier, others)) else words


def words_of_entry(content: str) -> frozenset[str]:
    """Every word, with an identifier as one."""
    found: set[str] = set()
    for joined in _JOINED.findall(fold(content)):
        found.update([joined] if is_identifier(joined) else _PART.findall(joined))
    return frozenset(found)


def words_of_message(content: str) -> frozenset[str]:
    """Every word, with an identifier as one and also its parts that are words: Vienna in Vienna-2026."""
    found: set[str] = set()
    for joined in _JOINED.findall(fold(content)):
        found.add(joined)
        found.update(part for part in _PART.findall(joined) if not is_identifier(part))
    return frozenset(found)


def is_identifier(word: str) -> bool:
    return _IDENTIFIER.search(word) is not None


def may_be_of(words: Iterable[str], wanted: Collection[str]) -> frozenset[str]:
    """Those `words` that are in `wanted`, or may be other forms of one, so that their stems must be compared."""
    beginnings = {word[:BEGINNING] for word in wanted if not is_identifier(word)}
    return frozenset(word for word in words if word in wanted or word[:BEGINNING] in beginnings)


def held_in(words: Collection[str], wanted: Iterable[str], stems: Stems) -> frozenset[str]:
    """Which of `wanted` are among these words, in any form."""
    there = {stem for word in words if not is_identifier(word) for stem in stems.get(word, ())}
    return frozenset(
        word
        for word in wanted
        if word in words or (not is_identifier(word) and not there.isdisjoint(stems.get(word, ())))
    )


def fold(text: str) -> str:
    """Remove case and accents; split scripts without spaces into pairs of characters, as in the index."""
    folded = text.casefold()
    if folded.isascii():
        return folded
    plain = _ACCENTS.sub("", normal_form("NFKD", folded))
    return words_for_index(_HYPHENS.sub("-", plain), longest=sys.maxsize)


def names_in(content: str) -> set[str]:
    """Words with a capital that are not at the beginning of the text."""
    written = (match for match in _PART.finditer(content) if match.start() and match[0][0].isupper())
    return {word for match in written for word in words_of_entry(match[0])}


MOST_LISTED = 500  # messages; of more, only the number is given
# A word is common in a conversation if more than one message in SHARE, and more than COMMON, contain it.
SHARE, COMMON = 20, 20
NARRATED = ("user", "assistant")  # what a model may call the two when it writes an entry

# If the server lacks the language, or there is none: English, whose stop words do the least harm.
_STEMS = """
SELECT word, ts_lexize(coalesce(
         (SELECT oid FROM pg_ts_dict WHERE dictname = %(language)s || '_stem'
             AND dictnamespace = 'pg_catalog'::regnamespace),
         'pg_catalog.english_stem'::regdictionary)::regdictionary, word)
  FROM unnest(%(words)s::text[]) word
"""


# Whether a message, folded like `fold` does in any locale of the database, contains one of some ASCII beginnings; or,
# if a beginning is not ASCII, whether it contains any character that isn't.
_MAY_HOLD = r"""(
       lower(replace(replace(replace(regexp_replace(
           CASE WHEN octet_length(content) = char_length(content) THEN content ELSE normalize(content, NFKD) END,
           '[\u0300-\u036f]', '', 'g'), 'ß', 'ss'), 'ẞ', 'ss'), '‐', '-') COLLATE "C") LIKE ANY(%s::text[])
    OR %s AND octet_length(content) <> char_length(content))"""


@dataclass(frozen=True, slots=True)
class Holding:
    """A message, and which of the words it contains."""

    id: UUID
    turn_id: UUID
    seq: int
    role: str
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class StillHolding:
    """Messages that a person has to decide about, of `total`, the most revealing first.

    `common` words are in so many messages that none is listed for these alone.
    """

    listed: tuple[Holding, ...] = ()
    total: int = 0
    common: tuple[str, ...] = ()


class WordSearch:
    """A search in a relationship's messages for the words of what an entry says or said."""

    def __init__(self, relationship_id: UUID, contents: Collection[str]) -> None:
        wanted = config_of(relationship_id)
        people = (*NARRATED, *(wanted.names if wanted else ()))
        self._relationship_id = relationship_id
        self._language = language_in(wanted.retrieval if wanted else None)
        self._stems = _stems(self._language, {word for text in contents for word in words_of_entry(text)})
        statements = {text: telling_words(text, stems=self._stems, people=people) for text in contents}
        self._statements = [words for words in statements.values() if words]
        self._words = frozenset[str]().union(*self._statements)
        self._names = {name for text, words in statements.items() for name in words & names_in(text)}

    def whole(self, turn_ids: Collection[UUID]) -> set[UUID]:
        """Messages of these turns that contain every word of something the entry says or said."""
        found = self._holding(self._messages().filter(turn_id__in=turn_ids)) if self._words else []
        return {held.id for held in found if any(words <= held.words for words in self._statements)}

    def still_holding(self) -> StillHolding:
        """All messages that contain any of the words, except those with nothing but common words."""
        found = self._holding(self._candidates()) if self._words else []
        counts = Counter(word for holding in found for word in holding.words)
        most = max(COMMON, self._messages().count() / SHARE) if found else 0
        common = {
            word
            for word, count in counts.items()
            if count > most and word not in self._names and not is_identifier(word)
        }
        if common == counts.keys():
            common = set()  # there are no other words
        telling = [holding for holding in found if not holding.words <= common]
        telling.sort(key=lambda holding: (-sum(1 / counts[word] for word in holding.words), holding.seq))
        return StillHolding(tuple(telling[:MOST_LISTED]), len(telling), tuple(sorted(common)))

    def _messages(self) -> Any:
        return Message.objects.for_relationship(self._relationship_id).filter(erased_at=None)

    def _candidates(self) -> Any:
        """Messages that may contain one of the words, or another form of it, by the word's beginning."""
        beginnings = {word if is_identifier(word) else word[:BEGINNING] for word in self._words}
        escaped = (
            re.sub(r"([\\%_])", r"\\\1", text.lower()) for text in sorted(beginnings) if text.isascii()
        )
        plain = [f"%{text}%" for text in escaped]
        may_hold = RawSQL(_MAY_HOLD, [plain, len(plain) < len(beginnings)], output_field=BooleanField())  # noqa: S611 - a constant of ours
        return self._messages().filter(may_hold)

    def _holding(self, messages: Any) -> list[Holding]:
        """Those of the messages that contain any of the words, in order."""
        read = []
        for message in messages.order_by("seq").only("id", "turn_id", "seq", "role", "content").iterator():
            if words := may_be_of(words_of_message(message.content), self._words):
                read.append(Holding(message.id, message.turn_id, message.seq, message.role, words))
        theirs = {word for holding in read for word in holding.words}
        stems = {**self._stems, **_stems(self._language, theirs - self._stems.keys())}
        held = (replace(holding, words=held_in(holding.words, self._words, stems)) for holding in read)
        return [holding for holding in held if holding.words]


def _stems(language: str, words: Collection[str]) -> dict[str, Sequence[str]]:
    if not words:
        return {}
    return {
        word: stems or () for word, stems in execute(_STEMS, {"language": language, "words": list(words)})
    }
