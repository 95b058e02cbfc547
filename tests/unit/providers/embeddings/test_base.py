"""What every embedder promises, on one that a test scripts."""

import pytest

from providers.embeddings.base import Space
from providers.errors import InvalidVectors, RateLimited
from tests.fakes import ScriptedEmbedder


@pytest.fixture
def embedder() -> ScriptedEmbedder:
    return ScriptedEmbedder(options={"dimensions": 2})


def test_each_text_has_its_vector_in_order(embedder: ScriptedEmbedder) -> None:
    embedder.place("east", [1, 0])
    embedder.place("north", [0, 5])

    embedded = embedder.embed(["north", "east", "north"], purpose="document")

    assert embedded.vectors.tolist() == [[0, 1], [1, 0], [0, 1]]
    assert embedded.space == Space("scripted-embedder-1", 2)


def test_many_texts_are_asked_for_in_several_calls(embedder: ScriptedEmbedder) -> None:
    embedder.most_texts = 2
    embedder.answer_with([[1, 0], [0, 1]], [[1, 1], [1, 0]], [[0, 1]])

    embedded = embedder.embed(["a", "b", "c", "d", "e"], purpose="document")

    assert [texts for _, texts in embedder.asked] == [["a", "b"], ["c", "d"], ["e"]]
    assert embedded.vectors.shape == (5, 2)


def test_a_failure_in_the_middle_leaves_nothing(embedder: ScriptedEmbedder) -> None:
    embedder.most_texts = 1
    embedder.answer_with(None, RateLimited(retry_after=3))

    with pytest.raises(RateLimited):
        embedder.embed(["a", "b", "c"], purpose="document")


def test_a_model_that_changes_its_dimension_is_refused_from_then_on() -> None:
    embedder = ScriptedEmbedder(options={"dimensions": 2})
    embedder.dimensions = None
    embedder.embed(["a"], purpose="document")
    embedder.answer_with([[1, 0, 0]])

    with pytest.raises(InvalidVectors, match="of 2 and 3 dimensions"):
        embedder.embed(["b"], purpose="document")

    assert embedder.dimensions == 2


def test_a_text_that_nobody_could_send_is_made_presentable_first(embedder: ScriptedEmbedder) -> None:
    embedder.embed(["", "half \ud83d"], purpose="query")

    assert embedder.asked == [("query", ["(empty)", "half ?"])]
