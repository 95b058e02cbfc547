"""Reuse embeddings: what a strategy embedded in order to search is stored as the vectors of what it adds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import structlog

from memory.ingestion.ingestion_input import IngestionInput
from memory.models import EntryState, ScratchpadEntry, SearchedKind
from memory.retrieval.index.queue import TextClaim, keep_vectors
from memory.retrieval.index.text import text_hash
from memory.retrieval.index.vectors import OwedText
from providers.embeddings.base import Embedded
from providers.embeddings.registry import embedder_of
from providers.errors import ProviderError

log = structlog.get_logger(__name__)

SECONDS = 30.0  # nobody waits for a worker


@dataclass(frozen=True, slots=True)
class TextVectors:
    """The vectors of `texts`, in order, as documents: as entries are embedded."""

    texts: tuple[str, ...]
    embedded: Embedded


def embed_texts(given: IngestionInput, texts: Sequence[str]) -> TextVectors | None:
    """Embed texts. None: the companion has no embedder, or it fails; then searches use words only."""
    try:
        embedder = embedder_of(given.retrieval.embedder)
        if embedder is None or not texts:
            return None
        return TextVectors(tuple(texts), embedder.embed(texts, purpose="document", timeout=SECONDS))
    except ProviderError as error:
        log.warning(
            "candidates were searched by text only, as the embedder failed",
            event_name="ingestion.texts.not_embedded",
            code=error.code,
            relationship_id=str(given.relationship_id),
        )
        return None


def keep_known_vectors(
    given: IngestionInput, entries: Iterable[ScratchpadEntry], known: Sequence[TextVectors]
) -> None:
    """Write the vectors of entries whose texts were embedded already. Call it in the transaction that writes them.

    It does nothing if the companion has another embedder by now; then a worker embeds them.
    """
    active = [entry for entry in entries if entry.state == EntryState.ACTIVE]
    for vectors in known:
        places = {text: place for place, text in enumerate(vectors.texts)}
        said = [entry for entry in active if entry.content in places]
        if not said:
            continue
        texts = tuple(
            OwedText(SearchedKind.ENTRY.value, entry.id, entry.content, text_hash(entry.content))
            for entry in said
        )
        rows = vectors.embedded.vectors[[places[entry.content] for entry in said]]
        claim = TextClaim(given.relationship_id, given.retrieval.embedder, 0, texts)
        keep_vectors(claim, texts, replace(vectors.embedded, vectors=rows))
