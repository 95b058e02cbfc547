"""Gemini's embedders, through google-genai. Imported at first use only: the SDK takes a second and 34 MB.

The SDK makes one embedding of a list of strings for `gemini-embedding-2`: each text must be a Content of its own.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from google.genai import types

from providers.embeddings.base import Purpose, RawVectors
from providers.embeddings.hosted import HostedEmbedder
from providers.embeddings.options import GeminiEmbedderOptions
from providers.gemini_sdk import GeminiEndpoint, with_given

# The generations that are told the purpose in a field; later ones read it in the text itself (options.py).
TOLD_BY_FIELD = ("gemini-embedding-001", "gemini-embedding-exp", "text-embedding-")
TASK_TYPES: dict[Purpose, str] = {"query": "RETRIEVAL_QUERY", "document": "RETRIEVAL_DOCUMENT"}


class GeminiEmbedder(GeminiEndpoint, HostedEmbedder[GeminiEmbedderOptions]):
    kind = "gemini"
    near_from = 0.6  # all its cosines lie high
    vendor_model = "gemini-embedding-2"
    vendor_dimensions = (
        768  # the smallest that Google recommends: a quarter of the space for nearly all of the recall
    )
    options_kind = GeminiEmbedderOptions
    most_texts = 100  # as batchEmbedContents takes

    def __init__(self, *, alias: str, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(alias=alias, options=options)
        self._by_field = self.model.rsplit("/", 1)[-1].startswith(TOLD_BY_FIELD)
        if self._by_field:
            self.most_tokens = 1_500  # they read 2,048
        self._extra = self._request_fields(types.EmbedContentConfig, self.options.extra)

    def _send(self, texts: Sequence[str], *, purpose: Purpose, timeout: float | None) -> RawVectors:
        contents: list[Any] = [types.Content(parts=[types.Part(text=text)]) for text in texts]
        with self._asking(timeout=timeout):
            response = self._client.models.embed_content(
                model=self.model, contents=contents, config=self._config(purpose, timeout)
            )
        used = response.usage_metadata
        return RawVectors(
            rows=[embedding.values or [] for embedding in response.embeddings or []],
            tokens=used.prompt_token_count if used else None,
        )

    def _config(self, purpose: Purpose, timeout: float | None) -> types.EmbedContentConfig:
        wanted: dict[str, Any] = {"output_dimensionality": self.asked_dimensions or None}
        if self._by_field:
            wanted["task_type"] = TASK_TYPES[purpose]
        if timeout is not None:
            wanted["http_options"] = types.HttpOptions(timeout=max(1, round(timeout * 1000)))
        return with_given(self._extra, wanted)
