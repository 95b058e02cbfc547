import pytest

from benchmarks.peers.findings import Goal, Line, middle_of


def test_a_line_knows_who_is_best_by_the_median() -> None:
    line = Line("fetch", "ms", {"rapport": [1.0, 9.0, 2.0], "mem0": [3.0, 3.0, 3.0]})

    assert line.winners() == ["rapport"]


def test_those_that_are_even_are_best_together() -> None:
    assert Line("right", "", {"a": [5.0], "b": [5.0], "c": [4.0]}, "more").winners() == ["a", "b"]


def test_nobody_is_best_alone_or_where_a_line_only_explains() -> None:
    assert Line("fetch", "ms", {"rapport": [1.0], "mem0": "it has none"}).winners() == []
    assert Line("tokens", "", {"rapport": [1.0], "mem0": [2.0]}, None).winners() == []


def test_a_ratio_is_taken_round_by_round() -> None:
    ratio = Line("fetch", "ms", {"rapport": [1.0, 2.0, 4.0], "mem0": [5.0, 20.0, 16.0]}).ratio(
        "mem0", "rapport"
    )

    assert ratio == (5.0, 4.0, 10.0)


def test_there_is_no_ratio_to_what_was_not_measured() -> None:
    line = Line("purge", "ms", {"rapport": [1.0], "mem0": "it has none"})

    assert line.ratio("mem0", "rapport") is None
    assert line.ratio("langmem", "rapport") is None


@pytest.mark.parametrize(
    ("goal", "met"),
    [
        (Goal("lost", 0, 0), True),
        (Goal("lost", 1, 0), False),
        (Goal("faster", 5.1, 5, at_most=False), True),
        (Goal("faster", None, 5, at_most=False), None),
    ],
    ids=["met", "missed", "at least", "not measured"],
)
def test_a_goal_is_met_or_not_or_nobody_knows(goal: Goal, met: bool | None) -> None:
    assert goal.met is met


def test_the_middle_of_words_is_none() -> None:
    assert middle_of("it has none") is None
    assert middle_of([1.0, 5.0, 2.0]) == 2.0
