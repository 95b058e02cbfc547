import pytest

from memory.providers.offline.stems import overlap, stem, words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("running", "run"),
        ("ran", "run"),
        ("marathons", "marathon"),
        ("takes", "take"),
        ("studies", "study"),
        ("wedding", "married"),
    ],
)
def test_forms_of_a_word_have_one_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_dates_and_small_words_do_not_tell() -> None:
    assert words("Has a job interview on 27 November 2026") == words("the interview for the job")


def test_names_in_any_script_tell() -> None:
    assert words("Has a brother named דניאל") & words("דניאל")


def test_the_overlap_is_the_share_of_what_was_wanted() -> None:
    assert overlap(frozenset("ab"), frozenset("bcd")) == 0.5
    assert overlap(frozenset(), frozenset("a")) == 0.0
