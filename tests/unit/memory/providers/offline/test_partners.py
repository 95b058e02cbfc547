import pytest

from tests.labelled.scratchpad import entry, remembered


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I'm married.", "Is married"),
        ("I got engaged to Daniel on Saturday!", "Is engaged to Daniel (got engaged on 21 November 2026)"),
        ("We got divorced in 2019.", "Got divorced in 2019"),
        ("I'm getting married to Joana in June.", "Is getting married to Joana in June 2027"),
        ("I'm dating Paola.", "Is dating Paola"),
        ("I'm an only child.", "Is an only child"),
    ],
)
def test_whom_somebody_is_with_is_kept(said: str, kept: str) -> None:
    assert remembered(said) == [kept]


@pytest.mark.parametrize(
    ("said", "after"),
    [
        ("I broke up with Tom.", "Broke up with Tom"),
        ("Tom and I broke up last night.", "Broke up with Tom on 25 November 2026"),
        ("My boyfriend dumped me yesterday.", "Broke up with Tom on 25 November 2026"),
        ("I'm single again.", "Is single"),
        ("We got engaged!", "Is engaged to Tom"),
    ],
)
def test_a_change_takes_the_place_of_what_was(said: str, after: str) -> None:
    assert remembered(said, entry("Has a boyfriend named Tom", "relationship", key="partner")) == [after]


def test_a_name_knows_of_the_marriage() -> None:
    assert remembered("My husband is away.", entry("Has a husband named Rui", "relationship")) == [
        "Has a husband named Rui"
    ]
