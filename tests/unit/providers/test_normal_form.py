import unicodedata
from typing import Literal

import pytest

from providers.normal_form import PIECE, normal_form
from tests.growth import MOST, growth


@pytest.mark.parametrize("form", ["NFC", "NFKC"])
def test_normalising_in_pieces_gives_the_same_result(form: Literal["NFC", "NFKC"]) -> None:
    text = "Cafe\u0301 ﬁne. " * PIECE
    assert normal_form(form, text) == unicodedata.normalize(form, text)


def test_marks_in_no_order_are_put_into_it_in_time_that_grows_with_them() -> None:
    def order(count: int) -> str:
        return normal_form("NFC", "\u0301\u0323" * count)

    assert growth(order, int, size=6000) < MOST
