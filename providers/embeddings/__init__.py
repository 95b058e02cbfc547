"""Embedders behind aliases: `get_embedder("gemini").embed(texts, purpose="document")`."""

from providers.embeddings.base import Embedded, Embedder, Space, embed_in_halves
from providers.embeddings.questions import begin_question, embed_question
from providers.embeddings.registry import (
    embedder_of,
    embedder_problems,
    get_embedder,
    near_from,
    reset_embedders,
)

__all__ = [
    "Embedded",
    "Embedder",
    "Space",
    "begin_question",
    "embed_in_halves",
    "embed_question",
    "embedder_of",
    "embedder_problems",
    "get_embedder",
    "near_from",
    "reset_embedders",
]
