import pytest

from tests.labelled.scratchpad import entry, remembered


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            "We adopted a black cat named Miso last week.",
            "Has a black cat named Miso (adopted in the week of 16 November 2026)",
        ),
        ("My dog Bruno died yesterday.", "Had a dog named Bruno, who died on 25 November 2026"),
        ("My grandmother passed away last month.", "Their grandmother passed away in October 2026"),
        ("I lost my father in 2018.", "Their father died in 2018"),
        ("I'm pregnant, due in April.", "Is pregnant, due in April 2027"),
        ("We had a baby girl in October.", "Had a baby girl in October 2026"),
    ],
)
def test_who_came_and_who_went_is_kept(said: str, kept: str) -> None:
    assert remembered(said) == [kept]


def test_a_death_is_written_where_the_living_stood() -> None:
    known = entry("Has a dog named Bruno", "relationship")
    assert remembered("Bruno died yesterday.", known) == [
        "Had a dog named Bruno, who died on 25 November 2026"
    ]
    assert remembered("My battery died yesterday.", known) == ["Has a dog named Bruno"]
