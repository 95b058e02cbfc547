import pytest

from tests.labelled.scratchpad import entry, remembered


@pytest.mark.parametrize(
    ("said", "goal", "after"),
    [
        (
            "I finished the half marathon on Sunday!",
            "Wants to run a half marathon",
            "Finished the half marathon on 22 November 2026 (goal reached)",
        ),
        (
            "I passed my driving test!",
            "Wants to pass the driving test",
            "Passed their driving test (goal reached)",
        ),
        ("We finally bought the boat!", "Hopes to buy a boat", "Bought the boat (goal reached)"),
        ("I gave up on learning Japanese.", "Is learning Japanese", "Gave up on learning Japanese"),
        ("I'm no longer learning Spanish.", "Is learning Spanish", "Is no longer learning Spanish"),
        (
            "I don't want to move to Canada anymore.",
            "Wants to move to Canada",
            "No longer wants to move to Canada",
        ),
    ],
)
def test_a_goal_is_said_to_be_reached_or_given_up(said: str, goal: str, after: str) -> None:
    assert remembered(said, entry(goal, "goal")) == [after]


@pytest.mark.parametrize(
    ("said", "goal"),
    [
        ("I bought some gaming equipment to improve my skills.", "Wants to improve"),
        ("I finished my coffee.", "Wants to finish a PhD"),
        ("I read the news.", "Wants to read 20 books in 2026"),
    ],
)
def test_what_is_done_in_passing_reaches_no_goal(said: str, goal: str) -> None:
    assert goal in remembered(said, entry(goal, "goal"))


def test_a_goal_that_was_settled_is_not_settled_again() -> None:
    settled = "Finished the half marathon (goal reached)"
    assert settled in remembered("I ran another half marathon in May.", entry(settled, "goal"))
