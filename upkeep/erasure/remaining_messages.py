"""Find the messages of a relationship that contain the words of an entry to be erased. Only reads."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any
from uuid import UUID

from django.db.models import BooleanField
from django.db.models.expressions import RawSQL

from memory.mending.candidates import language_in, stems_in
from memory.mending.prefilter import FirstLook
from memory.names import is_name
from memory.retrieval.index.configs import config_of
from memory.retrieval.index.language import NO_STEMS, known_languages
from memory.words import LONGEST, WORD, Stems, Word, fold, normal, spelt, words_of
from relationships.models import Message

MOST_LISTED = 500  # messages; of more, only the number is given
# A word is common in a conversation if more than one message in SHARE, and more than COMMON, contain it.
SHARE, COMMON = 20, 20
NARRATED = ("user", "assistant")  # what a model may call the two when it writes an entry
PIECE = 100  # messages whose words are in memory
MOST_SOUGHT = 500  # parts of words that the database looks for; with more, hardly a message has none of them
_PART = re.compile(WORD)

# Whether a message may pass the first look. Of those in ASCII most don't; others are looked at in Python.
_MAY_HOLD = """(octet_length(content) <> char_length(content)
    OR translate(regexp_replace(lower(content COLLATE "C"), '[^a-z0-9]+', '', 'g'), 'y', 'i') LIKE ANY(%s::text[]))"""


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


def all_words(text: str) -> list[Word]:
    """Every word, and those of which a joined one is made: Vienna-2026, Vienna."""
    return [one for word, parts in _with_parts(text) for one in (word, *parts)]


def telling_words(content: str, *, stems: Stems, people: Collection[str] = ()) -> dict[str, Word]:
    """The content's words, by how they are written; of joined ones the parts, unless it is an identifier. Without stop
    words, which have no stems; and without names of `people`, unless little else is left.
    """
    said = normal(content)
    words = {
        fold(said[one.start : one.end]): one
        for word, parts in _with_parts(content)
        for one in ([word] if word.identifier else parts or [word])
        if one.identifier or any(stems.get(form) for form in one.forms)
    }
    own = {form for name in people for word in words_of(name) for form in word.forms}
    others = {written: word for written, word in words.items() if not word.forms & own}
    return others if len(others) > 1 or any(word.identifier for word in others.values()) else words


def _with_parts(text: str) -> Iterator[tuple[Word, list[Word]]]:
    said = normal(text)
    for word in words_of(text):
        written = list(_PART.finditer(said, word.start, word.end))
        parts = [
            one._replace(start=part.start() + one.start, end=part.start() + one.end)
            for part in (written if len(written) > 1 else ())
            for one in words_of(part[0])
            if not one.identifier
        ]
        yield word, parts


def _forms(words: Iterable[Word]) -> set[str]:
    return {form for word in words if not word.identifier for form in word.forms}


class WordSearch:
    """A search in a relationship's messages for the words of what an entry says or said."""

    def __init__(self, relationship_id: UUID, contents: Collection[str]) -> None:
        config = config_of(relationship_id)
        self._relationship_id = relationship_id
        self._language = language_in(config.retrieval if config else None)
        # Where the server has no stop words of the language, English ones do the least harm.
        has_stems = self._language != NO_STEMS and self._language in known_languages()
        forms = _forms(word for text in contents for word in all_words(text))
        stems = stems_in(self._language if has_stems else "english", forms, alone=True)
        people = (*NARRATED, *(config.names if config else ()))
        told = {text: telling_words(text, stems=stems, people=people) for text in contents}
        self._statements = [words.keys() for words in told.values() if words]
        self._words = {written: word for words in told.values() for written, word in words.items()}
        self._look = FirstLook(self._words.values())
        self._names = {
            written for text, words in told.items() for written, word in words.items() if is_name(word, text)
        }

    @cached_property
    def _named(self) -> dict[str, list[str]]:
        """How a word is written, by each of its spellings: see `memory.words.spelt`."""
        stems = stems_in(self._language, _forms(self._words.values()))
        named = defaultdict[str, list[str]](list)
        for written, word in self._words.items():
            for spelling in spelt([word], stems):
                named[spelling].append(written)
        return dict(named)

    def whole(self, turn_ids: Collection[UUID]) -> set[UUID]:
        """Messages of these turns that contain every word of something the entry says or said."""
        found = self._holding(self._messages().filter(turn_id__in=turn_ids))
        return {held.id for held in found if any(words <= held.words for words in self._statements)}

    def still_holding(self) -> StillHolding:
        """All messages that contain any of the words, except those with nothing but common words."""
        sought = [f"%{part.replace('y', 'i')}%" for part in self._look.sought]
        may_hold = RawSQL(_MAY_HOLD, [sought], output_field=BooleanField())  # noqa: S611 - a constant of ours
        messages = self._messages()
        found = list(self._holding(messages.filter(may_hold) if len(sought) <= MOST_SOUGHT else messages))
        counts = Counter(word for holding in found for word in holding.words)
        most = max(COMMON, self._messages().count() / SHARE) if found else 0
        common = {
            word
            for word, count in counts.items()
            if count > most and word not in self._names and not self._words[word].identifier
        }
        if common == counts.keys():
            common = set()  # there are no other words
        telling = [holding for holding in found if not holding.words <= common]
        telling.sort(key=lambda holding: (-sum(1 / counts[word] for word in holding.words), holding.seq))
        return StillHolding(tuple(telling[:MOST_LISTED]), len(telling), tuple(sorted(common)))

    def _messages(self) -> Any:
        return Message.objects.for_relationship(self._relationship_id).filter(erased_at=None)

    def _holding(self, messages: Any) -> Iterator[Holding]:
        """Those of the messages that contain any of the words, in order."""
        columns = ("id", "turn_id", "seq", "role", "content")
        rows = messages.order_by("seq").only(*columns).iterator(chunk_size=PIECE)
        read = ((row, _pieces(row.content)) for row in rows)
        likely = ((row, texts) for row, texts in read if any(map(self._look.may_have_any, texts)))
        told = ((row, [word for text in texts for word in all_words(text)]) for row, texts in likely)
        while some := list(islice(told, PIECE)):
            forms = filter(self._look.may_have_any, _forms(word for _, words in some for word in words))
            stems = stems_in(self._language, set(forms))
            for row, words in some:
                there = self._named.keys() & spelt(words, stems)
                held = frozenset(written for spelling in there for written in self._named[spelling])
                if held:
                    yield Holding(row.id, row.turn_id, row.seq, row.role, held)


def _pieces(text: str) -> list[str]:
    """The text in pieces of which all is compared; they overlap, so that no word is cut in both."""
    return [text[at : at + LONGEST] for at in range(0, max(1, len(text)), LONGEST - 100)]
