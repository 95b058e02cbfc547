import pytest
from pydantic import ValidationError

from knowledge.configuration import Knowledge
from knowledge.documents import configuration_of
from relationships.models import Companion


def test_an_overlap_as_long_as_the_piece_is_refused() -> None:
    assert Knowledge(chunk_tokens=500, overlap_tokens=499).overlap_tokens == 499
    with pytest.raises(ValidationError, match="smaller than chunk_tokens"):
        Knowledge(chunk_tokens=400)


@pytest.mark.parametrize(
    ("embedder", "alias"), [("default", "default"), ("none", None), ("offline", "offline")]
)
def test_a_known_embedder_is_taken(embedder: str, alias: str | None) -> None:
    assert Knowledge(embedder=embedder).embedder_alias == alias


def test_the_companions_level_goes_before_the_projects(companion: Companion) -> None:
    companion.project.config = {"knowledge": {"top_k": 7, "chunk_tokens": 500}}
    companion.config = {"knowledge": {"top_k": 9}}

    knowledge = configuration_of(companion).knowledge

    assert (knowledge.top_k, knowledge.chunk_tokens, knowledge.overlap_tokens) == (9, 500, 400)


def test_an_unknown_embedder_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(ValidationError, match=r"known: .*offline"):
        Knowledge(embedder="gone")
