import pytest

from memory.retrieval.configuration import Retrieval
from memory.retrieval.rankers.best import BestRanker
from memory.retrieval.ranking import wanted_ranker
from web.errors import InvalidInput


def test_a_slug_leads_to_its_ranker() -> None:
    assert isinstance(wanted_ranker("best", Retrieval(), given=None), BestRanker)


def test_every_ranker_of_the_registry_is_named_as_it_calls_itself() -> None:
    embedded = Retrieval(embedder="offline")
    for slug in ("best", "hybrid", "cosine", "importance", "decay"):
        assert wanted_ranker(slug, embedded, given=None).slug == slug


@pytest.mark.parametrize("path", ["os.system", "memory.retrieval.rankers.best.BestRanker", "magic", ""])
def test_what_is_neither_known_nor_a_plugin_is_refused(path: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        wanted_ranker(path, Retrieval(), given=None)
    assert refused.value.problems[0].field == "ranker"
