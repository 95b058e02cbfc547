"""Prepare questions for a search: which names they contain, what is embedded, which words are looked up."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import orjson

from config.postgresql.sessions import prepared_cursor
from memory.aliases import other_names
from memory.models import SearchedKind
from memory.names import declined, stands_within
from memory.retrieval.index.text import first_words, without_names, words_for_index
from memory.retrieval.statements import NEWEST_SPEAKERS, PARTICIPANTS
from memory.words import UMLAUTS, WORD, fold, serials_asked
from providers.embeddings.base import Embedded, Embedder
from providers.embeddings.questions import begin_question, embed_question
from providers.embeddings.registry import embedder_of, working_embedder
from providers.errors import ProviderError
from relationships.configuration.cascade import resolve_configuration
from relationships.configuration.schema import Configuration
from web.errors import InvalidInput, NotFound

LONGEST_QUESTION = 8000  # characters; the rest is not read
TOO_LONG = f"The question is longer than {LONGEST_QUESTION} characters; the rest of it was not read."
MOST_WORDS = 500  # different words of a question, the first ones; several questions share WORDS_AT_ONCE
WORDS_AT_ONCE = 5000
TOO_MANY_WORDS = "The question has very many different words; only some of them were looked up."
NOT_EMBEDDED = "The question could not be embedded"  # then why, in words which a provider may take from it
NO_VECTOR = "The question's vector did not come in time, so only text was searched."
SHORTEST_NAME = 3  # letters; shorter names are too often words
USER, COMPANION = "user", "assistant"
_WORD = re.compile(WORD)
# As in "the son", "meine Schwester". They are in every other question, and name nobody.
_BEFORE_NOUNS = frozenset(
    "the his her its our their your der die das den dem ein eine mein meine dein deine sein seine ihr ihre les mes ses"
    " tes los las una mis sus".split()
)


@dataclass(frozen=True, slots=True)
class Participants:
    """The two who talk. `speakers`: other names on messages. `language`: detected from the conversation."""

    user: str
    companion: str
    speakers: tuple[str, ...] = ()
    language: str = ""
    sayings: tuple[str, ...] = ()  # entries that may say that two names are one person's

    @property
    def names(self) -> tuple[str, ...]:
        """The names that are removed from texts before embedding."""
        return (self.user, self.companion, *self.speakers)

    def by_all_names(self, question: str) -> str:
        """Add other names of those whom the question names: "Юлия" finds what is known about Yulia."""
        return " ".join([question, *other_names(question, self.sayings)]) if self.sayings else question

    def is_asked_about(self, who: str, question: str) -> bool:
        """Return whether the question names `who`: a speaker or subject, or a role, for which the name is known."""
        return is_named({USER: self.user, COMPANION: self.companion}.get(who, who), question)


def read_participants(*, project_id: UUID, relationship_id: UUID, kind: SearchedKind) -> Participants:
    """Read the participants. One statement. Raises NotFound, also for another project's relationship."""
    return _read(project_id, relationship_id, kind)[0]


def read_asked(
    *, project_id: UUID, relationship_id: UUID, kind: SearchedKind, turn: Mapping[str, Any]
) -> tuple[Participants, Configuration]:
    """The same, with the configuration, `turn` as its highest level. Raises NotFound, InvalidConfiguration."""
    participants, levels = _read(project_id, relationship_id, kind)
    return participants, resolve_configuration(*[*map(orjson.loads, levels), turn]).values


def _read(
    project_id: UUID, relationship_id: UUID, kind: SearchedKind
) -> tuple[Participants, tuple[str, str, str]]:
    asked: dict[str, Any] = {
        "project": project_id,
        "relationship": relationship_id,
        "kind": kind.value,
        "newest": NEWEST_SPEAKERS,
    }
    with prepared_cursor() as cursor:
        cursor.execute(PARTICIPANTS, asked)
        row = cursor.fetchone()
    if row is None:
        raise NotFound("This relationship does not exist.")
    user, companion, language, speakers, sayings = row[3:]
    participants = Participants(user, companion, tuple(speakers or ()), language, tuple(sayings or ()))
    return participants, row[:3]


@dataclass(frozen=True, slots=True)
class Prepared:
    """Questions in order. `texts` as asked, `words` as in the index; `vectors` None: search by text alone."""

    texts: tuple[str, ...]
    words: tuple[str, ...]
    vectors: Embedded | None
    notes: tuple[str, ...]

    def beside_text(self) -> "Prepared":
        """Drop lexical vectors, for what sums text and vectors, as it would count words twice."""
        lexical = self.vectors is not None and self.vectors.lexical
        return replace(self, vectors=None) if lexical else self


def prepare_questions(
    texts: Sequence[str],
    *,
    names: Sequence[str] = (),
    embedder: str | None,
    seconds: float,
    given: Embedded | None = None,
) -> Prepared:
    """Prepare questions. The embedder is called once, for at most `seconds`, unless the vectors are `given`.

    `names` are removed from the questions. Raises InvalidInput for a question without text.
    """
    if not all(text.strip() for text in texts):
        raise InvalidInput.of("query", "is empty; say what to look for")
    asked = tuple(text[:LONGEST_QUESTION] for text in texts)
    said = [without_names(text, names) for text in asked]
    notes = [TOO_LONG] if any(len(text) > LONGEST_QUESTION for text in texts) else []
    words, cut = _words(said)
    notes += [TOO_MANY_WORDS] if cut else []
    vectors = given
    if vectors is None and embedder is not None:
        vectors, note = _vectors(said, embedder, seconds)
        notes += [note] if note else []
    return Prepared(asked, words, vectors, tuple(notes))


def begin_to_embed(text: str, *, embedder: str | None, seconds: float) -> None:
    """Start embedding a question that a search will need. Errors are reported by the search."""
    chosen = working_embedder(embedder)
    if chosen is not None and text.strip():
        begin_question(text[:LONGEST_QUESTION], chosen, seconds=seconds)


def _words(texts: Sequence[str]) -> tuple[tuple[str, ...], bool]:
    """The words as in the index, and whether some were left out, as each costs a look-up in every row."""
    most = min(MOST_WORDS, WORDS_AT_ONCE // max(1, len(texts)))
    spelt = tuple(" ".join([words_for_index(text), *serials_asked(text)]) for text in texts)
    words = tuple(first_words(text, most) for text in spelt)
    return words, words != spelt


def _vectors(texts: Sequence[str], alias: str, seconds: float) -> tuple[Embedded | None, str]:
    """The vectors; or None with the reason, in a sentence."""
    try:
        embedder = embedder_of(alias)
        vectors = None if embedder is None else _embedded(texts, embedder, seconds)
    except ProviderError as error:
        return None, f"{NOT_EMBEDDED}, so only text was searched: {error}"
    return vectors, "" if vectors is not None else NO_VECTOR


def _embedded(texts: Sequence[str], embedder: Embedder, seconds: float) -> Embedded | None:
    """Embed questions. A single one is cached and has a deadline; several come from a worker, and are one batch."""
    if len(texts) == 1:
        return embed_question(texts[0], embedder, seconds=seconds)
    return embedder.embed(texts, purpose="query", timeout=seconds)


def is_named(name: str, question: str) -> bool:
    """Return whether a whole word of `name` is in `question`, in any case and with or without accents. "Sam" is not in
    "the same"."""
    asked, parts = fold(question), _WORD.findall(name.casefold())
    words = set(_WORD.findall(asked))
    telling = [part for part in parts if part not in _BEFORE_NOUNS] or parts
    spelt = {fold(spelling) for part in telling for spelling in (part, part.translate(UMLAUTS))}
    return any(_stands_in(part, asked, words) for part in spelt)


def _stands_in(part: str, asked: str, words: set[str]) -> bool:
    if unicodedata.category(part[0]) == "Lo":  # no spaces around names, or particles attached to them
        return stands_within(part, asked)
    if len(part) < SHORTEST_NAME:
        return False
    return part in words or any(declined(part, word) for word in words)
