from memory.retrieval.rankers.cosine import CosineRanker
from tests.unit.memory.retrieval.rankers.rows import NOW, Row, candidates, question


def test_the_score_is_the_cosine() -> None:
    rows = [Row(cosine=0.3), Row(cosine=-0.2), Row(cosine=0.9)]
    scores = CosineRanker().rank(candidates(rows), question(), NOW)
    assert scores.total.tolist() == [0.3, -0.2, 0.9]
    assert scores.parts["similarity"].tolist() == scores.total.tolist()
    assert scores.kept.all()
