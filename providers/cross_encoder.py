"""A cross-encoder on this machine: reads a question and a text together, and says in one number how well they fit.

What the embedder `local` needs, it needs too (requirements-local.txt); its files are of the same layout.
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
    """One configured model, used by many threads at once."""

    def __init__(self, options: LocalEmbedderOptions) -> None:
        """Loads nothing."""
        named = options.model or DEFAULT_MODEL
        self._model = LocalModel(named, options, pools=False)

    def scores(self, question: str, texts: Sequence[str], *, timeout: float | None) -> NDArray[np.float64]:
        """One number for each text, the higher the better it fits the question, on a scale of the model's own.

        `timeout`: seconds that the model's loading by somebody else is waited for. Raises ProviderError.
        """
        pairs = [(question[:LONGEST], text[:LONGEST]) for text in texts]
        raw = self._model.encode(pairs, timeout=timeout).astype(np.float64)
        if raw.shape != (len(texts), 1):
            raise ProviderMisconfigured(
                f"The model {self._model.name!r} is no cross-encoder: it gives {raw[0].size} numbers for a pair of "
                "texts, not one. Choose another model."
            )
        if not np.isfinite(raw).all():
            raise ProviderMisconfigured(f"The model {self._model.name!r} gives numbers that are none.")
        scores: NDArray[np.float64] = raw[:, 0]
        return scores


def get_cross_encoder() -> CrossEncoder:
    """That of CROSS_ENCODER in the settings, one for each process. Raises ProviderMisconfigured."""
    options = settings.CROSS_ENCODER
    return _made(os.getpid(), tuple(sorted(options.items())))


@cache
def _made(pid: int, options: tuple[tuple[str, object], ...]) -> CrossEncoder:
    return CrossEncoder(read_options(LocalEmbedderOptions, dict(options)))
