import pytest

from memory.ingestion.strategies.importance import importance_of
from memory.ingestion.strategies.options import Floor, ImportanceOptions

FLOORS = ImportanceOptions().floors


@pytest.mark.parametrize(
    ("content", "importance", "floor"),
    [
        ("Lives in Lisbon", 0.85, "identity"),
        ("Wants to run a marathon", 0.75, "goals"),
        ("Is allergic to peanuts", 0.65, "constraints"),
        ("Likes tea", 0.60, "preferences"),
        ("Saw a heron", 0.2, ""),
        ("Likes living in Lisbon: lives in Alfama", 0.85, "identity"),
    ],
)
def test_what_tells_of_a_person_has_a_floor(content: str, importance: float, floor: str) -> None:
    assert importance_of(2, content, FLOORS) == (importance, floor)


def test_a_score_above_the_floor_stands_as_a_tenth_of_itself() -> None:
    assert importance_of(9, "Lives in Lisbon", FLOORS) == (0.9, "")


def test_a_floor_is_told_by_whole_words_in_any_case_and_language() -> None:
    floors = (Floor(name="casa", at_least=0.9, phrases=("mora em",)),)

    assert importance_of(1, "MORA EM Lisboa", floors) == (0.9, "casa")
    assert importance_of(1, "Namora emigrantes", floors) == (0.1, "")


def test_a_phrase_is_no_pattern_of_its_own() -> None:
    floors = (Floor(name="dots", at_least=0.9, phrases=("a.c",)),)

    assert importance_of(1, "abc", floors) == (0.1, "")
