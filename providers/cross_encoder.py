"""A cross-encoder on this machine: reads a question and a text together, and scores how well they match.

It has the same requirements as the embedder `local` (requirements-local.txt), and the same file layout.
"""

import os
from collections.abc import Sequence
from functools import cache

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from providers.embeddings.local import LONGEST, LocalModel
from providers.embeddings.options import LocalEmbedderOptions
from providers.errors import ProviderMisconfigured
from providers.options import read_options

DEFAULT_MODEL = "cross-encoder/ms-marco-MiniLM-L6-v2"


class CrossEncoder:
    """A configured model, used by many threads at once."""

    def __init__(self, options: LocalEmbedderOptions) -> None:
        """Does not load the model."""
        named = options.model or DEFAULT_MODEL
        self._model = LocalModel(named, options, pools=False)

    def scores(self, question: str, texts: Sequence[str], *, timeout: float | None) -> NDArray[np.float64]:
        """One score per text, higher for a better match, on the model's own scale.

        `timeout`: seconds to wait while another thread loads the model. Raises ProviderError.
        """
        pairs = [(question[:LONGEST], text[:LONGEST]) for text in texts]
        raw = self._model.encode(pairs, timeout=timeout).astype(np.float64)
        if raw.shape != (len(texts), 1):
            raise ProviderMisconfigured(
                f"The model {self._model.name!r} is not a cross-encoder: it gives {raw[0].size} numbers for a pair of "
                "texts, not one. Choose another model."
            )
        if not np.isfinite(raw).all():
            raise ProviderMisconfigured(f"The model {self._model.name!r} gives numbers that are not finite.")
        scores: NDArray[np.float64] = raw[:, 0]
        return scores


def get_cross_encoder() -> CrossEncoder:
    """Return the CROSS_ENCODER of the settings, one per process. Raises ProviderMisconfigured."""
    options = settings.CROSS_ENCODER
    return _made(os.getpid(), tuple(sorted(options.items())))


@cache
def _made(pid: int, options: tuple[tuple[str, object], ...]) -> CrossEncoder:
    return CrossEncoder(read_options(LocalEmbedderOptions, dict(options)))
