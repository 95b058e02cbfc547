import pytest

from memory.providers.offline.traits import is_nationality
from tests.labelled.scratchpad import Scratchpad, remembered


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I'm Brazilian.", "Is Brazilian"),
        ("I'm half Irish, half Italian.", "Is half Irish, half Italian"),
        ("I speak Portuguese and a bit of German.", "Speaks Portuguese and a bit of German"),
        ("My time zone is America/New_York.", "Time zone is America/New_York"),
        ("My pronouns are they/them.", "Pronouns are they/them"),
        ("I'm a morning person.", "Is a morning person"),
        ("I'm left-handed.", "Is left-handed"),
    ],
)
def test_what_somebody_is_is_kept(said: str, kept: str) -> None:
    assert remembered(said) == [kept]


def test_a_taste_in_living_is_a_preference_and_a_nationality_is_identity() -> None:
    types = [operation["type"] for operation in Scratchpad().hear("I'm a night owl.", "I'm Welsh.")]
    assert types == ["preference", "identity"]


@pytest.mark.parametrize(
    "said", ["I'm a lucky person.", "I'm tired.", "I speak too fast.", "I'm the right person for this."]
)
def test_passing_states_are_no_trait(said: str) -> None:
    assert remembered(said) == []


@pytest.mark.parametrize(("word", "is_one"), [("Brazilian", True), ("half Greek", True), ("Brian", False)])
def test_a_nationality_is_told_from_a_name(word: str, is_one: bool) -> None:
    assert is_nationality(word) is is_one
