import pytest

from benchmarks.figures import Figure, Goal, Section, of_rounds
from benchmarks.timing import Spread


@pytest.mark.parametrize(
    ("goal", "value", "met"),
    [
        (Goal(15), 15.0, True),
        (Goal(15), 15.1, False),
        (Goal(100, at_most=False), 100.0, True),
        (Goal(100, at_most=False), 99.9, False),
        (None, 1.0, None),
    ],
)
def test_a_goal_is_met_up_to_its_bound(goal: Goal | None, value: float, met: bool | None) -> None:
    assert Figure("latency", value, "ms", goal=goal).met is met


def test_the_figure_of_several_rounds_is_their_middle() -> None:
    figure = of_rounds("p50", Spread(2.0, 1.0, 9.0), "ms", Goal(3))

    assert (figure.value, figure.spread, figure.met) == (2.0, Spread(2.0, 1.0, 9.0), True)


def test_a_section_names_what_missed_its_goal() -> None:
    slow, quick = Figure("slow", 9, goal=Goal(1)), Figure("quick", 1, goal=Goal(9))

    assert Section("name", "Title", "how", [slow, quick, Figure("just a figure", 5)]).missed() == [slow]
