"""The common base of embedders over HTTP: options, the external switch, prefixes, cutting and calls.

A vendor's module implements a single call (`_send`). Its failures are the same as its language models'.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from config import tracing
from providers.embeddings.base import Embedder, Purpose
from providers.embeddings.options import HostedEmbedderOptions, prefixes_of
from providers.embeddings.shaping import Rows, batches, cut_to_tokens
from providers.endpoint import Endpoint
from providers.options import read_options


class HostedEmbedder(Endpoint, Embedder):
    """A vendor's API over HTTP. Subclasses name the vendor and implement `_send`."""

    options_kind: ClassVar[type[HostedEmbedderOptions]] = HostedEmbedderOptions
    vendor_dimensions: ClassVar[int] = 0  # the default to ask for; 0: don't ask
    most_tokens: int = 6_000  # of one text; an estimate, so well below the vendors' limit of 8,192
    most_tokens_of_a_call: ClassVar[int] = 20_000
    options: HostedEmbedderOptions

    def __init__(self, *, alias: str, options: Mapping[str, Any] | None = None) -> None:
        """Raises ProviderMisconfigured for invalid options."""
        super().__init__(alias=alias, options=options)
        self.options = read_options(self.options_kind, options or {})
        self.model = self.options.model or self.vendor_model
        self.asked_dimensions = self.options.dimensions or self.vendor_dimensions
        self.dimensions = self.asked_dimensions or None
        self.prefixes = prefixes_of(
            self.model, query=self.options.query_prefix, document=self.options.document_prefix
        )
        self._set_up(self.options)

    def _batches(self, texts: Sequence[str]) -> Iterator[Sequence[str]]:
        cut = [cut_to_tokens(text, self.most_tokens) for text in texts]
        return batches(cut, most_texts=self.most_texts, most_tokens=self.most_tokens_of_a_call)

    def _ask(self, texts: Sequence[str], *, purpose: Purpose, timeout: float | None) -> Rows:
        self._may_be_asked()
        prefixed = [self.prefixes.before(text, purpose) for text in texts]
        told = {
            "gen_ai.operation.name": "embeddings",
            "gen_ai.provider.name": self.kind,
            "gen_ai.request.model": self.model,
            "rapport.provider": self.alias,
            "rapport.texts": len(texts),
        }
        with (
            tracing.calling(f"embeddings {self.model}", told),
            self._call(self._seconds_in_all(timeout)),
        ):
            return self._send(prefixed, purpose=purpose, timeout=timeout)

    @abstractmethod
    def _send(self, texts: Sequence[str], *, purpose: Purpose, timeout: float | None) -> Rows:
        """Ask the vendor once. Raises ProviderError."""
