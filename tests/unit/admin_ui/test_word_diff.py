import pytest
from hypothesis import given
from hypothesis import strategies as st

from admin_ui.word_diff import MOST_WORDS, Piece, word_diff
from tests.growth import MOST, growth


@pytest.mark.parametrize(
    ("before", "after", "pieces"),
    [
        pytest.param(
            "Lives in Porto", "Lives in Porto", [Piece("same", "Lives in Porto")], id="nothing changed"
        ),
        pytest.param(
            "Lives in Porto",
            "Lives in Lisbon",
            [Piece("same", "Lives in "), Piece("removed", "Porto"), Piece("added", "Lisbon")],
            id="a word replaced",
        ),
        pytest.param(
            "छह साल की",
            "छह साल का",
            [Piece("same", "छह साल "), Piece("removed", "की"), Piece("added", "का")],
            id="a vowel stays on its letter",
        ),
        pytest.param(
            "猫は三歳",
            "猫は四歳",
            [Piece("same", "猫は"), Piece("removed", "三"), Piece("added", "四"), Piece("same", "歳")],
            id="signs without spaces",
        ),
        pytest.param("", "Has a dog", [Piece("added", "Has a dog")], id="written"),
        pytest.param("Has a dog", "", [Piece("removed", "Has a dog")], id="taken away"),
    ],
)
def test_the_changed_words_are_told_apart(before: str, after: str, pieces: list[Piece]) -> None:
    assert word_diff(before, after) == pieces


@given(st.text(), st.text())
def test_the_pieces_hold_both_texts_whole(before: str, after: str) -> None:
    pieces = word_diff(before, after)

    assert "".join(piece.text for piece in pieces if piece.kind != "added") == before
    assert "".join(piece.text for piece in pieces if piece.kind != "removed") == after


def test_a_very_long_text_is_shown_as_replaced() -> None:
    before, after = "a " * MOST_WORDS, "b " * MOST_WORDS

    assert word_diff(before, after) == [Piece("removed", before), Piece("added", after)]


def test_a_few_words_over_and_over_are_told_apart_in_time_that_grows_with_them() -> None:
    """Each is like every other: difflib would take the cube of their number."""
    assert growth(lambda size: word_diff("! ? " * size, "? ! ! " * size), int, size=60) < MOST
