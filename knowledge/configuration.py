"""The section `knowledge` of the configuration: how a companion's documents are cut and searched."""

from typing import Annotated

from pydantic import Field, model_validator

from providers.embeddings.registry import DEFAULT_EMBEDDER
from relationships.configuration.plugins import registered
from relationships.configuration.strict import Share, Strict

NO_EMBEDDER = "none"


class Knowledge(Strict):
    """A companion's documents. Reading them follows the project's and the companion's levels; higher levels only affect
    searches.
    """

    chunk_tokens: Annotated[int, Field(ge=50, le=8000)] = 800
    """Approximate largest size of a chunk. Applies to documents that are read afterwards."""
    overlap_tokens: Annotated[int, Field(ge=0, le=7900)] = 400
    """How much of a chunk the next one repeats at most."""
    embedder: Annotated[str, registered("EMBEDDING_PROVIDERS", NO_EMBEDDER, DEFAULT_EMBEDDER)] = (
        DEFAULT_EMBEDDER
    )
    """Alias of an embedder; `default`: the service's own; `none`: no vectors, search by text only."""
    top_k: Annotated[int, Field(ge=1, le=50)] = 5
    """Most chunks in a context."""
    min_score: Annotated[float, Field(ge=0, le=1)] | None = None
    """Chunks with a lower score are left out. The best by text and vector has 2/61, the best by only one has 1/61."""
    min_similarity: Share | None = None
    """Cosine that a chunk needs if it shares no word with the question; in a context, also if it has too few of its
    words. Null: any in a search, in a context the embedder's own limit (0.4, Gemini 0.6).
    """
    min_coverage: Share = 0.35
    """Share of the message's significant words, weighted by rarity, that a passage needs to be shown in a context."""
    max_documents: Annotated[int, Field(ge=1, le=10_000)] = 100
    """Most documents of a companion."""
    max_chunks: Annotated[int, Field(ge=1, le=100_000)] = 10_000
    """Most chunks of all its documents together."""

    @property
    def embedder_alias(self) -> str | None:
        """The embedder's alias; None if documents are searched by text only."""
        return None if self.embedder == NO_EMBEDDER else self.embedder

    @model_validator(mode="after")
    def _chunks_move_on(self) -> "Knowledge":
        if self.overlap_tokens >= self.chunk_tokens:
            raise ValueError("overlap_tokens: must be smaller than chunk_tokens")
        return self
