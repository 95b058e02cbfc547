"""OpenAI's embeddings, and servers with the same API, such as Ollama, vLLM, llama.cpp, LiteLLM and TEI.

What a server does not support (base64, long texts) is learnt from its refusals. Its answers are read leniently but
checked: vectors may be base64 of little-endian float32 or lists of numbers, whatever was asked for.
"""

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import openai as sdk
from pydantic import BaseModel

from providers.embeddings.base import Purpose
from providers.embeddings.hosted import HostedEmbedder
from providers.embeddings.shaping import Rows, cut_to_tokens
from providers.errors import (
    InvalidVectors,
    ProviderMisconfigured,
    ProviderUnavailable,
)
from providers.openai_sdk import OpenAIEndpoint, complaint, openai_error


class Item(BaseModel):
    embedding: str | list[float]
    index: int | None = None

    def numbers(self) -> Any:
        if isinstance(self.embedding, str):
            return np.frombuffer(base64.b64decode(self.embedding, validate=True), dtype="<f4")
        return self.embedding


class EmbeddingsAnswer(BaseModel):
    """`error`: some gateways report a failure in a 200."""

    data: list[Item] | None = None
    error: Any = None

    def rows(self) -> list[Any]:
        """The vectors in the order of the texts. Raises InvalidVectors if the numbering is invalid."""
        items = self.data or []
        numbered = [item.index for item in items if item.index is not None]
        if not numbered:
            return [item.numbers() for item in items]
        if sorted(numbered) != list(range(len(items))):
            raise InvalidVectors("The server numbered its vectors in a way that does not match the texts.")
        return [item.numbers() for item in sorted(items, key=lambda item: item.index or 0)]


ABOUT_LENGTH = (
    "context length",
    "too long",
    "too large",
    "max_tokens",
    "maximum input",
    "token limit",
    "n_ctx",
)
ARGUABLE = {400, 413, 422, 500}  # llama.cpp answers 500 to a text that is too long
FEWEST_TOKENS = 100  # texts this short are not refused for their length


class OpenAIEmbedder(OpenAIEndpoint, HostedEmbedder):
    kind = "openai"
    vendor_model = "text-embedding-3-small"

    def __init__(self, *, alias: str, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(alias=alias, options=options)
        self._encoding = "base64"  # a third of the bytes

    def _send(self, texts: Sequence[str], *, purpose: Purpose, timeout: float | None) -> Rows:
        most = self.most_tokens
        while True:
            encoding = self._encoding
            try:
                return self._post([cut_to_tokens(text, most) for text in texts], encoding, timeout)
            except sdk.APIStatusError as error:
                words = complaint(error).lower() if error.status_code in ARGUABLE else ""
                if encoding == "base64" and ("encoding_format" in words or "base64" in words):
                    self._encoding = "float"
                elif most > FEWEST_TOKENS and any(part in words for part in ABOUT_LENGTH):
                    most //= 2
                elif self.asked_dimensions and "dimension" in words:
                    raise ProviderMisconfigured(
                        f"{self.model!r} can't give vectors of {self.asked_dimensions} dimensions; "
                        f"change RAPPORT_EMBEDDING_DIMENSIONS. The server says: {self._quote(complaint(error))}",
                    ) from error
                else:
                    raise openai_error(error, quote=self._quote) from error

    def _post(self, texts: list[str], encoding: str, timeout: float | None) -> Rows:
        """Make one call. Raises the same errors as _asking."""
        fields: dict[str, Any] = {"dimensions": self.asked_dimensions} if self.asked_dimensions else {}
        if timeout is not None:
            fields["timeout"] = timeout
        create: Any = self._client.embeddings.with_raw_response.create
        with self._asking(timeout=timeout):
            raw = create(
                model=self.model,
                input=texts,
                encoding_format=encoding,
                extra_body=self.options.extra or None,
                **fields,
            )
            answer = EmbeddingsAnswer.model_validate(raw.http_response.json())
            if answer.error:
                raise ProviderUnavailable(f"The server answered an error: {self._quote(answer.error)}")
            return answer.rows()
