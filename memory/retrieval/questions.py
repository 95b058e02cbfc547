"""Questions made fit for a search: what is embedded of them, which words are looked up, and what was not possible."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.embedders import embed_question, embedder_of
from memory.embedders.base import Embedded, Embedder
from memory.indexing.text import first_words, without_names, words_for_index
from memory.providers.errors import ProviderError
from memory.retrieval.configuration import Retrieval
from memory.retrieval.participants import Participants
from relationships.errors import InvalidInput

LONGEST_QUESTION = 8000  # characters; what follows is not read
TOO_LONG = f"The question is longer than {LONGEST_QUESTION} characters; the rest of it was not read."
MOST_WORDS = 500  # different ones of a question, the first; those of a search for many share WORDS_AT_ONCE
WORDS_AT_ONCE = 5000
TOO_MANY_WORDS = "The question has very many different words; only the first of them were looked up."
NO_VECTOR = "The question's vector did not come in time; it was found by text alone."


@dataclass(frozen=True, slots=True)
class Prepared:
    """Questions in order. `texts` as asked, `words` as the index spells them; `vectors` None: by text alone."""

    texts: tuple[str, ...]
    words: tuple[str, ...]
    vectors: Embedded | None
    notes: tuple[str, ...]


def prepare_questions(
    texts: Sequence[str], *, participants: Participants, retrieval: Retrieval, given: Embedded | None
) -> Prepared:
    """Asks the embedder once, unless the vectors are `given`. Raises InvalidInput for a question without text."""
    if not all(text.strip() for text in texts):
        raise InvalidInput.of("query", "is empty; say what to look for")
    asked = tuple(text[:LONGEST_QUESTION] for text in texts)
    said = [without_names(text, participants.names) for text in asked]
    notes = [TOO_LONG] if any(len(text) > LONGEST_QUESTION for text in texts) else []
    words, cut = _words(said)
    notes += [TOO_MANY_WORDS] if cut else []
    vectors = given
    if vectors is None and retrieval.embedder is not None:
        vectors, note = _vectors(said, retrieval)
        notes += [note] if note else []
    return Prepared(asked, words, vectors, tuple(notes))


def _words(texts: Sequence[str]) -> tuple[tuple[str, ...], bool]:
    """As the index spells them, and whether some were left out: each costs a look at every row, or at an index."""
    most = min(MOST_WORDS, WORDS_AT_ONCE // max(1, len(texts)))
    spelt = tuple(map(words_for_index, texts))
    words = tuple(first_words(text, most) for text in spelt)
    return words, words != spelt


def _vectors(texts: Sequence[str], retrieval: Retrieval) -> tuple[Embedded | None, str]:
    """None with the reason, in a sentence."""
    try:
        embedder = embedder_of(retrieval)
        vectors = None if embedder is None else _embedded(texts, embedder, retrieval.query_seconds)
    except ProviderError as error:
        return None, f"The question could not be embedded, it was found by text alone: {error}"
    return vectors, "" if vectors is not None else NO_VECTOR


def _embedded(texts: Sequence[str], embedder: Embedder, seconds: float) -> Embedded | None:
    """One question is remembered and waited for briefly; several are a worker's, and go as one batch."""
    if len(texts) == 1:
        return embed_question(texts[0], embedder, seconds=seconds)
    return embedder.embed(texts, purpose="query", timeout=seconds)
