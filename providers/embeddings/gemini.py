"""Gemini's embedders, through google-genai. Imported at first use: the SDK takes a second and 34 MB.

For `gemini-embedding-2`, the SDK makes a single embedding of a list of strings, so each text must be its own Content.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from google.genai import types

from providers.embeddings.base import Purpose
from providers.embeddings.hosted import HostedEmbedder
from providers.embeddings.options import GeminiEmbedderOptions
from providers.embeddings.shaping import Rows
from providers.gemini_sdk import GeminiEndpoint, with_given

# Models that take the purpose as a field; later ones take it in the text (options.py).
TOLD_BY_FIELD = ("gemini-embedding-001", "gemini-embedding-exp", "text-embedding-")
TASK_TYPES: dict[Purpose, str] = {"query": "RETRIEVAL_QUERY", "document": "RETRIEVAL_DOCUMENT"}


class GeminiEmbedder(GeminiEndpoint, HostedEmbedder):
    kind = "gemini"
    near_from = 0.6  # its cosines are generally high
    vendor_model = "gemini-embedding-2"
    # The smallest number that Google recommends: a quarter of the storage with nearly the full recall.
    vendor_dimensions = 768
    options_kind = GeminiEmbedderOptions
    most_texts = 100  # the limit of batchEmbedContents

    def __init__(self, *, alias: str, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(alias=alias, options=options)
        self._by_field = self.model.rsplit("/", 1)[-1].startswith(TOLD_BY_FIELD)
        if self._by_field:
            self.most_tokens = 1_500  # these models read 2,048
        self._extra = self._request_fields(types.EmbedContentConfig, self.options.extra)

    def _send(self, texts: Sequence[str], *, purpose: Purpose, timeout: float | None) -> Rows:
        contents: list[Any] = [types.Content(parts=[types.Part(text=text)]) for text in texts]
        wanted: dict[str, Any] = {"output_dimensionality": self.asked_dimensions or None}
        if self._by_field:
            wanted["task_type"] = TASK_TYPES[purpose]
        if timeout is not None:
            wanted["http_options"] = types.HttpOptions(timeout=max(1, round(timeout * 1000)))
        with self._asking(timeout=timeout):
            response = self._client.models.embed_content(
                model=self.model, contents=contents, config=with_given(self._extra, wanted)
            )
        return [embedding.values or [] for embedding in response.embeddings or []]
