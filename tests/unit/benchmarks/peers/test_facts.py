import pytest

from benchmarks.peers.facts import Change, Move, as_json, from_json, moves_for

LISBON, PORTO = "Lives in Lisbon", "Lives in Porto"
BOOK = {
    "I live in Lisbon.": [Change(LISBON)],
    "I moved to Porto.": [Change(PORTO, LISBON)],
    "Forget where I live.": [Change("", PORTO)],
}


@pytest.mark.parametrize(
    ("said", "shown", "moves"),
    [
        (["I live in Lisbon."], [], [Move("add", LISBON)]),
        (["I live in Lisbon."], [LISBON], []),
        (["I moved to Porto."], ["Has a cat", LISBON], [Move("update", PORTO, 1)]),
        (["I moved to Porto."], [], [Move("add", PORTO)]),
        (["I moved to Porto."], [PORTO, LISBON], [Move("delete", at=1)]),
        (["Forget where I live."], [PORTO], [Move("delete", at=0)]),
        (["Forget where I live."], [], []),
        (["Nice weather."], [LISBON], []),
    ],
    ids=[
        "new",
        "known already",
        "changed",
        "changed, but what was is not shown",
        "changed, and known already",
        "forgotten",
        "forgotten, but not shown",
        "small talk",
    ],
)
def test_a_faultless_model_does_what_the_shown_texts_allow(
    said: list[str], shown: list[str], moves: list[Move]
) -> None:
    assert moves_for(BOOK, said, shown) == moves


def test_a_later_message_sees_what_an_earlier_one_changed() -> None:
    moves = moves_for(BOOK, ["I live in Lisbon.", "I moved to Porto."], [])

    assert [(move.kind, move.text, move.said) for move in moves] == [("add", LISBON, 0), ("update", PORTO, 1)]


@pytest.mark.parametrize(
    ("change", "kind"),
    [(Change(LISBON), "learn"), (Change(PORTO, LISBON), "replace"), (Change("", PORTO), "forget")],
)
def test_a_change_says_what_it_is(change: Change, kind: str) -> None:
    assert change.kind == kind


def test_a_book_is_the_same_after_a_journey_as_json() -> None:
    assert from_json(as_json(BOOK)) == BOOK
