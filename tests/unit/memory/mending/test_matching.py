from itertools import islice, product

import pytest

from memory.mending.matching import WithWords

ARABIC = "ابتثجحخدذرزسشصضطظعغفقكلمنهوي"


@pytest.mark.django_db
def test_a_word_is_found_with_another_ending_however_many_other_words_there_are() -> None:
    """In a language where nothing can be told from how a word begins, all of them are asked for."""
    words = islice(product(ARABIC, repeat=5), 0, 2_000_000, 101)
    others = [" ".join(map("".join, some)) for some in iter(lambda: list(islice(words, 5000)), [])]
    assert sum(map(len, others)) > 100_000

    found = WithWords(None, "كتاب", text=str, language="arabic")([*others, "كتابهم هنا"])

    assert found == ["كتابهم هنا"]
