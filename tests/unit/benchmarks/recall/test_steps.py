from benchmarks.recall.steps import built_up, published, taken_away
from memory.retrieval.rankers.best import BestRanker
from tests.unit.memory.retrieval.rankers.rows import NOW, WORDS, Row, candidates, question

ROWS = [
    Row({"tea": 1}, session=0, cosine=0.2, age=300),
    Row(session=0, cosine=0.9, named=True, length=3),
    Row({"porto": 2}, session=1, cosine=-0.1, length=30),
]


def totals(ranker: object) -> list[float]:
    scores = ranker.rank(candidates(ROWS, WORDS), question(WORDS), NOW)  # type: ignore[attr-defined]
    return [round(total, 9) for total in scores.total]


def test_the_last_step_is_the_ranker_itself_and_each_adds_something() -> None:
    steps = dict(built_up(vectors=True))
    assert totals(steps["+ dates"]) == totals(BestRanker())
    assert list(steps)[:2] == ["BM25 of single turns", "+ cosine, as a sum"]
    assert totals(steps["+ who is named"]) != totals(steps["+ neighbours' cosines"])


def test_without_vectors_no_step_speaks_of_them() -> None:
    names = [name for name, _ in [*built_up(vectors=False), *taken_away(vectors=False)]]
    assert not [name for name in names if "cosine" in name]


def test_a_part_that_is_taken_away_changes_the_whole() -> None:
    for name, ranker in taken_away(vectors=True):
        if name != "without dates":  # the question names none
            assert totals(ranker) != totals(BestRanker()), name


def test_the_published_ones_are_compared_too() -> None:
    assert next(name for name, _ in published()) == "cosine"
