import pytest

from memory.retrieval.months import months_of


@pytest.mark.parametrize(
    "language", ["english", "german", "french", "spanish", "italian", "portuguese", "dutch"]
)
def test_every_language_names_twelve_months_in_order(language: str) -> None:
    months = months_of([language])
    assert set(months.values()) == set(range(1, 13))
    assert list(dict.fromkeys(months.values()))[:12] == list(range(1, 13))


def test_an_unknown_language_is_read_as_english() -> None:
    assert months_of([""]) == months_of(["english"]) == months_of([])


def test_of_two_languages_the_first_keeps_a_name_they_share() -> None:
    both = months_of(["german", "english"])
    assert (both["märz"], both["march"], both["april"]) == (3, 3, 4)
