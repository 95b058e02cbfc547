import numpy as np

from memory.retrieval.candidates import candidates_of
from memory.retrieval.columns import Columns
from memory.retrieval.rankers.base import Counts, Statistics


def columns(**values: list[float]) -> Columns:
    count = 3
    usual = {
        "told": [1.0, 2.0, 3.0],
        "length": [5, 6, 7],
        "who": [10, 20, 10],
        "allowed": [True, True, False],
    }
    return Columns(
        ids=np.array([bytes([number]) * 16 for number in range(count)]),
        values={name: np.array(column) for name, column in {**usual, **values}.items()},
        people={"user": 10, "Sofia": 20},
        lexemes=["coffee", "milk", "tea"],
        terms=[np.array([1, 2]), np.array([0, 2])],
        counts=Counts(np.array([0, 1, 2]), np.array([0, 2, 1]), np.array([1.0, 2.0, 3.0])),
        cosines=[],
    )


def test_a_question_sees_the_counts_of_its_own_words_numbered_from_zero() -> None:
    first, second = (candidates_of(columns(), number, named=[]).counts for number in (0, 1))
    assert (first.row.tolist(), first.term.tolist(), first.count.tolist()) == ([1, 2], [1, 0], [2.0, 3.0])
    assert (second.row.tolist(), second.term.tolist()) == ([0, 1], [0, 1])


def test_messages_weigh_alike_all_count_and_each_belongs_to_its_session() -> None:
    seen = candidates_of(columns(session=[-7, 40, -7]), 0, named=["Sofia"])
    assert seen.session.tolist() == [0, 1, 0]
    assert seen.importance.tolist() == seen.weight.tolist() == [1, 1, 1]
    assert seen.counted.all()
    assert seen.touched.tolist() == [1, 2, 3]
    assert seen.named.tolist() == [False, True, False]
    assert not seen.has_vectors


def test_entries_belong_to_no_session() -> None:
    seen = candidates_of(columns(importance=[0.1, 0.2, 0.3], touched=[9, 9, 9]), 0, named=["user"])
    assert seen.session.tolist() == [-1, -1, -1]
    assert seen.importance.tolist() == [0.1, 0.2, 0.3]
    assert seen.touched.tolist() == [9, 9, 9]
    assert seen.named.tolist() == [True, False, True]


def test_figures_of_the_whole_are_those_of_the_questions_own_words() -> None:
    whole = Statistics(100, np.array([1.0, 2.0, 3.0]), 5.0, 0.1)
    seen = candidates_of(columns(), 1, named=[], whole=whole)
    assert seen.statistics is not None
    assert seen.statistics.documents.tolist() == [1.0, 3.0]


def test_where_not_all_words_were_counted_the_choice_has_to_do() -> None:
    whole = Statistics(100, np.array([1.0, 2.0]), 5.0, 0.1)
    assert candidates_of(columns(), 1, named=[], whole=whole).statistics is None
