import pytest

from benchmarks.report import Figure, Goal, Section, as_markdown, of_rounds
from benchmarks.timing import Spread, percentile


def test_a_percentile_is_a_value_that_was_measured() -> None:
    values = [float(value) for value in range(100, 0, -1)]

    assert [percentile(values, share) for share in (0.0, 0.5, 0.99, 1.0)] == [1.0, 51.0, 100.0, 100.0]
    assert percentile([7.0], 0.99) == 7.0


@pytest.mark.parametrize(
    ("goal", "value", "met"),
    [
        (Goal(15), 15.0, True),
        (Goal(15), 15.1, False),
        (Goal(100, at_most=False), 100.0, True),
        (Goal(100, at_most=False), 99.9, False),
        (Goal(100), None, None),
        (None, 1.0, None),
    ],
)
def test_a_goal_is_met_up_to_its_bound(goal: Goal | None, value: float | None, met: bool | None) -> None:
    assert Figure("latency", value, "ms", goal=goal).met is met


def test_the_figure_of_several_rounds_is_their_middle_with_their_ends() -> None:
    figure = of_rounds("p50", [2.0, 1.0, 1234.5], "ms", Goal(1))

    assert figure.spread == Spread(2.0, 1.0, 1234.5)
    assert figure.cells == ("p50", "2 ms", "1 to 1,234", "at most 1", "MISSED")


def test_a_run_is_kept_with_its_tables_goals_and_what_was_missed() -> None:
    figures = [Figure("p50", 21.04, "ms", goal=Goal(15)), Figure("lost", None, goal=Goal(0))]
    section = Section(
        "latency", "Latency", "One by one.", figures, ["", "rapport", "best"], [("fetch", "1", "all")]
    )

    lines = as_markdown("bench", [section], {"cores": "2"}).splitlines()

    assert {"# bench", "- cores: 2", "## Latency", "One by one.", "| fetch | 1 | all |"} <= set(lines)
    assert {"| p50 | 21 ms |  | at most 15 | MISSED |", "| lost | not measured |  | at most 0 |  |"} <= set(
        lines
    )
    assert section.missed() == ["latency: p50"]
