from typing import Any

import pytest
from pydantic import ValidationError

from memory.forgetting.configuration import Forgetting
from memory.retrieval.configuration import Gate, Retrieval


@pytest.mark.parametrize("embedder", [None, "default", "offline"])
def test_an_embedder_is_nobody_the_services_own_or_an_alias(embedder: str | None) -> None:
    assert Retrieval(embedder=embedder).embedder == embedder


@pytest.mark.parametrize(
    ("part", "values", "told"),
    [
        (Retrieval, {"embedder": "crystal"}, "'crystal' is not a known provider"),
        (Retrieval, {"ranker": "astrology"}, "'astrology' is not a known ranker; known: best"),
        (Retrieval, {"language": "klingon"}, "language"),
        (Retrieval, {"top_k": 0}, "top_k"),
        (Retrieval, {"top_k": 1_000_000}, "top_k"),
        (Retrieval, {"min_score": float("nan")}, "min_score"),
        (Retrieval, {"hourly_decay": 0}, "hourly_decay"),
        (Retrieval, {"query_seconds": 0}, "query_seconds"),
        (Retrieval, {"half_life_days": 1e-306}, "half_life_days"),
        (Gate, {"open_on": ["moonrise"]}, "'moonrise' is not a known gate; known: always"),
        (Gate, {"keywords": [""]}, "keywords"),
        (Forgetting, {"policy": "amnesia"}, "'amnesia' is not a known policy; known: none"),
        (Forgetting, {"then": "burn"}, "then"),
        (Forgetting, {"half_life_days": 1e-306}, "half_life_days"),
        (
            Forgetting,
            {"activation_floor": 1e-310},
            "must be 0, by which nothing leaves, or at least 0.000001",
        ),
    ],
)
def test_what_can_not_be_is_refused_by_its_name(part: Any, values: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        part(**values)


def test_by_default_everything_is_looked_for_by_text_and_nothing_is_forgotten() -> None:
    assert (Retrieval().embedder, Retrieval().gate.open_on) == (None, ("content",))
    assert Forgetting().policy == "none"
