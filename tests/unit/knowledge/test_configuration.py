import pytest
from pydantic import ValidationError

from knowledge.configuration import Knowledge


def test_an_overlap_as_long_as_the_piece_is_refused() -> None:
    assert Knowledge(chunk_tokens=500, overlap_tokens=499).overlap_tokens == 499
    with pytest.raises(ValidationError, match="smaller than chunk_tokens"):
        Knowledge(chunk_tokens=400)


@pytest.mark.parametrize("embedder", ["default", "none", "offline"])
def test_a_known_embedder_is_taken(embedder: str) -> None:
    assert Knowledge(embedder=embedder).embedder == embedder


def test_an_unknown_embedder_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(ValidationError, match=r"known: .*offline"):
        Knowledge(embedder="gone")
