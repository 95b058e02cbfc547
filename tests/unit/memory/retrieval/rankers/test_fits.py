"""How well a row fits a question says the same among three rows and among thousands."""

import numpy as np
import pytest

from memory.retrieval.rankers.scoring import fits
from tests.unit.memory.retrieval.rankers.rows import Row, candidates, question

WORDS = ("noor", "violin")
NOISE = [Row({}, cosine=0.02 * number) for number in range(6)]


@pytest.mark.parametrize("others", [2, 3000])
def test_what_has_all_words_fits_and_what_has_none_does_not(others: int) -> None:
    rows = [Row({"noor": 1, "violin": 2}), Row({"noor": 1}), *(Row() for _ in range(others))]

    fit = fits(candidates(rows, WORDS), question(WORDS))

    assert fit[0] == 1.0 and 0.2 < fit[1] < 0.8 and not fit[2:].any()


def test_the_best_of_rows_that_share_one_word_of_many_fits_little() -> None:
    words = ("noor", "violin", "lesson", "price", "tea")
    fit = fits(candidates([Row({"tea": 5}), Row({"tea": 1}), Row()], words), question(words))

    assert 0 < fit[0] == fit[1] < 0.2


def test_noise_among_vectors_stays_noise_and_what_means_it_fits() -> None:
    fit = fits(candidates([*NOISE, Row(cosine=0.7)], WORDS), question(WORDS))

    assert fit[:-1].max() < 0.1 and fit[-1] > 0.6
    assert not fits(candidates(NOISE[:3], WORDS), question(WORDS)).any()  # too few to say


def test_who_is_named_fits_as_by_one_word_more_and_no_more_than_all() -> None:
    rows = [Row({"violin": 1}, named=True), Row({"noor": 1, "violin": 1}, named=True), Row(named=True)]
    fit = fits(candidates(rows, WORDS), question(WORDS))

    assert fit[2] == pytest.approx(0.5) and fit[1] == 1.0 and fit[2] < fit[0] <= 1.0
    assert np.isfinite(fits(candidates([], WORDS), question(()))).all()
