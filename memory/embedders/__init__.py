"""Texts into vectors, behind aliases. `get_embedder("gemini").embed(texts, purpose="document")`."""

from memory.embedders.base import Embedded, Embedder, Purpose, Space
from memory.embedders.questions import embed_question
from memory.embedders.registry import embedder_of, embedder_problems, get_embedder, reset_embedders

__all__ = [
    "Embedded",
    "Embedder",
    "Purpose",
    "Space",
    "embed_question",
    "embedder_of",
    "embedder_problems",
    "get_embedder",
    "reset_embedders",
]
