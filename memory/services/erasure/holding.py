"""Which messages of a relationship hold the words of an entry that is to be forgotten. Only reads.

Each message is read once, whatever the entry says: the time grows with the conversation, and with nothing else.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import connection

from memory.retrieval.index.configs import RelationshipConfig, configs_of
from memory.services.erasure.distinctive import (
    Statement,
    Stems,
    held_in,
    is_identifier,
    may_be_of,
    statement_of,
    words_of_entry,
    words_of_message,
)
from relationships.models import Message

MOST_LISTED = 500  # messages; how many there are beyond is told
# A word is common in a conversation if more than one message in SHARE, and more than COMMON, hold it.
SHARE, COMMON = 20, 20
NARRATED = ("user", "assistant")  # what a model may call the two when it writes an entry

# Where the server does not have the language, as with none: English has the stop words that do the least harm.
_STEMS = """
SELECT word, ts_lexize(coalesce(
         (SELECT oid FROM pg_ts_dict WHERE dictname = %(language)s || '_stem'
             AND dictnamespace = 'pg_catalog'::regnamespace),
         'pg_catalog.english_stem'::regdictionary)::regdictionary, word)
  FROM unnest(%(words)s::text[]) word
"""


@dataclass(frozen=True, slots=True)
class Holding:
    """A message and the words it holds, as they are compared."""

    id: UUID
    turn_id: UUID
    seq: int
    role: str
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class Held:
    """Who holds words of an entry. `messages` is how many were looked at."""

    statements: tuple[Statement, ...]
    found: tuple[Holding, ...]
    messages: int

    def whole(self, turn_ids: Collection[UUID]) -> set[UUID]:
        """Messages of these turns that hold every word of something the entry says or said."""
        said = [statement.words for statement in self.statements if statement.words]
        return {
            holding.id
            for holding in self.found
            if holding.turn_id in turn_ids and any(words <= holding.words for words in said)
        }

    def without(self, message_ids: Collection[UUID]) -> "StillHolding":
        """What is left to be looked at when these are gone."""
        left = [holding for holding in self.found if holding.id not in message_ids]
        counts = Counter(word for holding in self.found for word in holding.words)
        names = {name for statement in self.statements for name in statement.names}
        common = {
            word
            for word, count in counts.items()
            if count > max(COMMON, self.messages / SHARE) and word not in names and not is_identifier(word)
        }
        if common == counts.keys():
            common = set()  # nothing else is known of it
        telling = [holding for holding in left if not holding.words <= common]
        telling.sort(key=lambda holding: (-sum(1 / counts[word] for word in holding.words), holding.seq))
        return StillHolding(tuple(telling[:MOST_LISTED]), len(telling), tuple(sorted(common)))


@dataclass(frozen=True, slots=True)
class StillHolding:
    """Messages that a person has to decide about, the most telling first; `total` of them are there.

    `common` words are held by so many messages that one is not listed for these alone.
    """

    listed: tuple[Holding, ...] = ()
    total: int = 0
    common: tuple[str, ...] = ()


def find_holding(relationship_id: UUID, contents: Iterable[str]) -> Held:
    """Messages that hold a distinctive word of something an entry says or said."""
    wanted = next(iter(configs_of([relationship_id])), None)
    language = _language(wanted)
    texts = sorted(contents)
    stems = _stems(language, {word for text in texts for word in words_of_entry(text)})
    people = (*NARRATED, *(wanted.names if wanted else ()))
    statements = tuple(statement_of(text, stems=stems, people=people) for text in texts)
    words = frozenset(word for statement in statements for word in statement.words)
    read, messages = _read(relationship_id, words)
    stems |= _stems(language, {word for holding in read for word in holding.words} - stems.keys())
    found = (_held(holding, words, stems) for holding in read)
    return Held(statements, tuple(holding for holding in found if holding.words), messages)


def _read(relationship_id: UUID, words: Collection[str]) -> tuple[list[Holding], int]:
    """Messages with words that may be these, and how many messages there are."""
    if not words:
        return [], 0
    read, messages = [], 0
    rows = Message.objects.for_relationship(relationship_id).filter(erased_at=None).order_by("seq")
    for message in rows.only("id", "turn_id", "seq", "role", "content").iterator():
        messages += 1
        if candidates := may_be_of(words_of_message(message.content), words):
            read.append(Holding(message.id, message.turn_id, message.seq, message.role, candidates))
    return read, messages


def _held(holding: Holding, words: Collection[str], stems: Stems) -> Holding:
    held = held_in(holding.words, words, stems)
    return Holding(holding.id, holding.turn_id, holding.seq, holding.role, held)


def _language(wanted: RelationshipConfig | None) -> str:
    return (wanted.retrieval.language if wanted and wanted.retrieval else None) or "english"


def _stems(language: str, words: Collection[str]) -> dict[str, Sequence[str]]:
    if not words:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_STEMS, {"language": language, "words": list(words)})
        return {word: stems or () for word, stems in cursor.fetchall()}
