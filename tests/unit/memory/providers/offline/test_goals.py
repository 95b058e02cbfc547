import pytest

from memory.providers.offline.goals import without_reason
from tests.labelled.scratchpad import Scratchpad, entry, remembered


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I want to run a half marathon next spring.", "Wants to run a half marathon in spring 2027"),
        ("I'd love to visit Japan one day.", "Wants to visit Japan one day"),
        ("My goal is to read 20 books this year.", "Wants to read 20 books in 2026"),
        (
            "I hope to publish my first novel by the end of next year.",
            "Hopes to publish their first novel by the end of 2027",
        ),
        ("I'm trying to eat less sugar.", "Is trying to eat less sugar"),
        ("I'm thinking about adopting a dog.", "Is thinking about adopting a dog"),
        ("I'm learning Japanese.", "Is learning Japanese"),
        ("I'm saving up for a house because rents are mad.", "Is saving up for a house"),
        ("I decided to go back to university.", "Has decided to go back to university"),
    ],
)
def test_what_is_wanted_is_kept(said: str, kept: str) -> None:
    assert remembered(said) == [kept]


def test_a_goal_weighs_as_goals_do() -> None:
    operation = Scratchpad().hear("I'm learning Japanese.")[0]
    assert (operation["type"], operation["importance"]) == ("goal", 0.75)


def test_a_goal_told_in_more_words_refines_the_one_that_is_known() -> None:
    known = entry("Wants to run a half marathon", "goal")
    assert remembered("I want to run a half marathon in Porto.", known) == [
        "Wants to run a half marathon in Porto"
    ]
    assert remembered(
        "I want to run a half marathon.", entry("Wants to run a half marathon in Porto", "goal")
    ) == ["Wants to run a half marathon in Porto"]


@pytest.mark.parametrize(
    "said",
    [
        "I want to know what you think.",
        "I just want to sleep.",
        "I'd like a recipe for soup.",
        "I'm working on it.",
        "I want to buy bread today.",
        "I'm trying to understand you.",
        "I wish I had a dog.",
    ],
)
def test_passing_wishes_are_not_kept(said: str) -> None:
    assert remembered(said) == []


def test_the_reason_is_no_part_of_a_goal() -> None:
    assert without_reason("a house, because rents are mad") == "a house"
