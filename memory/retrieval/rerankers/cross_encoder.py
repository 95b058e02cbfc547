from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from memory.retrieval.rerankers.base import Reranker, RerankRequest
from providers.cross_encoder import get_cross_encoder


class CrossEncoderReranker(Reranker):
    """A small model on this machine reads the question with each passage, and scores how well they fit.

    The operator chooses it (RAPPORT_CROSS_ENCODER_MODEL), as a configuration may not name folders of this machine.
    """

    slug: ClassVar[str] = "cross_encoder"

    def rerank(self, request: RerankRequest) -> Sequence[int]:
        texts = [passage.text for passage in request.passages]
        scores = get_cross_encoder().scores(request.question, texts, timeout=request.seconds)
        best_first: list[int] = np.argsort(-scores, kind="stable").tolist()
        return best_first
