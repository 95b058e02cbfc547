import pytest

from tests.labelled.scratchpad import entry, remembered


@pytest.mark.parametrize(
    ("said", "before", "after"),
    [
        ("Actually, I live in Setúbal, not Lisbon.", "Lives in Lisbon", ["Lives in Setúbal"]),
        ("Not Porto, I said Ponta Delgada.", "Lives in Porto", ["Lives in Ponta Delgada"]),
        ("It's Sofia with an f, not Sophia.", "Has a friend named Sophia", ["Has a friend named Sofia"]),
        ("I never said I like jazz.", "Likes jazz", []),
        ("I don't have a dog, I have a cat.", "Has a dog", ["Has a cat"]),
        ("We don't have a cat anymore.", "Has a cat named Mimi", ["No longer has a cat named Mimi"]),
        ("It's four cats now.", "Has three cats", ["Has four cats"]),
    ],
)
def test_what_was_wrong_is_put_right(said: str, before: str, after: list[str]) -> None:
    assert remembered(said, entry(before, "relationship")) == after


def test_the_right_day_takes_the_place_of_the_wrong_one() -> None:
    known = entry("Has a dentist appointment on 1 December 2026", "event")
    assert remembered("No, I meant Thursday, not Tuesday.", known) == [
        "Has a dentist appointment on 3 December 2026"
    ]


def test_having_nobody_is_something_to_know() -> None:
    assert remembered("We don't have any children.") == ["Has no children"]


def test_a_correction_of_nothing_known_changes_nothing() -> None:
    assert remembered("It's Sofia, not Sophia.", entry("Likes tea", "preference")) == ["Likes tea"]
