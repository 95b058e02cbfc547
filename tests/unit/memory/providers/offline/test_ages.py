import pytest

from tests.labelled.scratchpad import Scratchpad, entry, remembered


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I'm 34.", "Is 34 years old (as of November 2026)"),
        ("I'm thirty-two years old.", "Is 32 years old (as of November 2026)"),
        ("I turned 40 last month.", "Is 40 years old (turned 40 in October 2026)"),
        ("I'll be 50 in December.", "Turns 50 in December 2026"),
        ("My birthday is tomorrow!", "Birthday is on 27 November"),
        ("My birthday's the 30th of June.", "Birthday is on 30 June"),
        ("My birthday is in May.", "Birthday is in May"),
        ("I was born on 2 May 1991.", "Was born on 2 May 1991"),
        ("I was born on 3 August.", "Was born on 3 August"),
        ("I was born in 1988.", "Was born in 1988"),
        ("I was born in Nairobi.", "Was born in Nairobi"),
    ],
)
def test_age_and_birth_are_kept(said: str, kept: str) -> None:
    assert remembered(said) == [kept]


def test_a_new_age_takes_the_place_of_the_old_one() -> None:
    assert remembered("I just turned 30!", entry("Is 29 years old", "identity", key="age")) == [
        "Is 30 years old (turned 30 in November 2026)"
    ]


def test_an_age_and_a_birthday_have_their_keys() -> None:
    keys = [operation["key"] for operation in Scratchpad().hear("I'm 34.", "My birthday is on 14 March.")]
    assert keys == ["age", "birthday"]


@pytest.mark.parametrize(
    "said", ["I'm 5 and a half hours away.", "I'm 300 km from home.", "My phone is 4 years old."]
)
def test_other_numbers_are_no_age(said: str) -> None:
    assert remembered(said) == []
