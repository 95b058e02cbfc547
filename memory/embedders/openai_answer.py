"""What a server that speaks OpenAI's embeddings sends back, read leniently but checked.

Vectors come as base64 of little-endian float32 or as lists of numbers, whatever was asked for. A wrong shape is a
ValueError.
"""

import base64
from typing import Any

import numpy as np
from pydantic import BaseModel

from memory.providers.errors import InvalidVectors


class Item(BaseModel):
    embedding: str | list[float]
    index: int | None = None

    def numbers(self) -> Any:
        if isinstance(self.embedding, str):
            return np.frombuffer(base64.b64decode(self.embedding, validate=True), dtype="<f4")
        return self.embedding


class Usage(BaseModel):
    prompt_tokens: int | None = None


class EmbeddingsAnswer(BaseModel):
    """`error`: some gateways put a failure into a 200."""

    data: list[Item] | None = None
    usage: Usage | None = None
    error: Any = None

    def rows(self) -> list[Any]:
        """The vectors in the order of the texts. Raises InvalidVectors where the numbering can't be right."""
        items = self.data or []
        numbered = [item.index for item in items if item.index is not None]
        if not numbered:
            return [item.numbers() for item in items]
        if sorted(numbered) != list(range(len(items))):
            raise InvalidVectors("The server numbered its vectors in a way that fits no texts.")
        return [item.numbers() for item in sorted(items, key=lambda item: item.index or 0)]
