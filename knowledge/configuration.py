"""The section `knowledge` of the configuration: how a companion's documents are cut up and found again."""

from typing import Annotated

from pydantic import Field, model_validator

from providers.embeddings.registry import DEFAULT_EMBEDDER
from relationships.configuration.plugins import registered
from relationships.configuration.strict import Share, Strict

NO_EMBEDDER = "none"


class Knowledge(Strict):
    """A companion's documents. The project's and the companion's levels hold; those above are for searching."""

    chunk_tokens: Annotated[int, Field(ge=50, le=8000)] = 800
    """How long a chunk of a document is at the most, about; documents read from then on are cut so."""
    overlap_tokens: Annotated[int, Field(ge=0, le=7900)] = 400
    """How much of a chunk the next one repeats, at the most."""
    embedder: Annotated[str, registered("EMBEDDING_PROVIDERS", NO_EMBEDDER, DEFAULT_EMBEDDER)] = (
        DEFAULT_EMBEDDER
    )
    """Alias of an embedder, `default` for the service's own, or `none`: no vectors, found by text alone."""
    top_k: Annotated[int, Field(ge=1, le=50)] = 5
    """How many chunks a context shows at most."""
    min_score: Annotated[float, Field(ge=0, le=1)] | None = None
    """What scores less is left out. First by text and by vector is 2/61, first by one of them alone 1/61."""
    min_similarity: Share | None = None
    """A chunk that shares no word with the question needs this cosine to it, and in a context one that has too few of
    its words. Null: in a search any, in a context what is near by the embedder (0.4, Gemini 0.6)."""
    min_coverage: Share = 0.35
    """A context shows a passage that has this share of the message's telling words, weighed by how rare they are."""
    max_documents: Annotated[int, Field(ge=1, le=10_000)] = 100
    """How many documents a companion may have."""
    max_chunks: Annotated[int, Field(ge=1, le=100_000)] = 10_000
    """How many chunks its documents may make together."""

    @property
    def embedder_alias(self) -> str | None:
        """None where documents are found by text alone."""
        return None if self.embedder == NO_EMBEDDER else self.embedder

    @model_validator(mode="after")
    def _chunks_move_on(self) -> "Knowledge":
        if self.overlap_tokens >= self.chunk_tokens:
            raise ValueError("overlap_tokens: must be smaller than chunk_tokens")
        return self
