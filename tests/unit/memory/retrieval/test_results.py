from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from memory.retrieval.results import Hit, SearchResult, with_more
from providers.embeddings.base import Space

SCORES = (1.0, 0.9, 0.66, 0.64, 0.1)
FOUND = SearchResult(
    [Hit(UUID(int=place), score, {}) for place, score in enumerate(SCORES)], "best", None, 5, (), 0.0
)


@pytest.mark.parametrize(
    ("result", "most", "more", "kept"),
    [
        ({}, 1, 9, 3),
        ({}, 1, 1, 2),
        ({}, 4, 9, 4),
        ({}, 1, 0, 1),
        ({"hits": []}, 1, 9, 0),
        ({"ranker": "cosine"}, 1, 9, 1),
        ({"space": Space("model", 3)}, 1, 9, 1),
        ({"reranker": "model"}, 1, 9, 1),
    ],
    ids=["nearly", "no more", "the first", "none", "nothing found", "another ranker", "vectors", "reranked"],
)
def test_more_are_kept_where_they_score_nearly_as_much_as_the_best(
    result: dict[str, Any], most: int, more: int, kept: int
) -> None:
    found = replace(FOUND, **result)

    assert list(with_more(found, most=most, more=more)) == list(found.hits[:kept])
