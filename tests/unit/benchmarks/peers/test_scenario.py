import pytest

from benchmarks.peers.scenario import Line, Tally, tally, times_shown
from benchmarks.peers.stories import Change, Move, life_stories, moves_for

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
    ],
    ids=[
        "new",
        "known already",
        "changed",
        "not shown",
        "changed, and known",
        "forgotten",
        "not shown to forget",
    ],
)
def test_a_faultless_model_does_what_the_shown_texts_allow(
    said: list[str], shown: list[str], moves: list[Move]
) -> None:
    assert moves_for(BOOK, said, shown) == moves


def test_a_later_message_sees_what_an_earlier_one_changed() -> None:
    moves = moves_for(BOOK, ["I live in Lisbon.", "I moved to Porto.", "Forget where I live."], [LISBON])

    assert [(move.kind, move.text, move.said) for move in moves] == [("update", PORTO, 1), ("delete", "", 2)]


def test_facts_are_counted_as_lost_duplicated_and_misplaced() -> None:
    expected = {"ann": [("a boat",), ("a car",)], "bob": [("a dog",), ("a cat",)]}
    stored = {
        "ann": ["has a boat", "has a boat", "has a boat", "has a dog"],
        "bob": ["has a dog", "has a cat"],
    }

    assert tally(expected, stored) == Tally(lost=1, duplicated=2, misplaced=1)


def test_a_line_shows_a_fact_once_in_whatever_form_case_and_spacing() -> None:
    lines = ["- Lives in Lisbon (I live in Lisbon.)", "lives in  LISBON", "Lives in Porto"]

    assert times_shown(lines, [LISBON, "I live in Lisbon."]) == 2


def test_who_is_ahead_of_us_is_told_by_the_median() -> None:
    line = Line(
        "fetch", "ms", {"rapport": [1.0, 2.0, 4.0], "mem0": [0.5, 1.0, 16.0], "langmem": "it has none"}
    )

    assert line.ratio("mem0", "rapport") == 0.5
    assert line.behind() == "fetch, in ms: mem0 1; rapport 2."
    cells = ["fetch (ms)", "2 (1 to 4)", "1 (0.5 to 16), 0.5 x", "it has none"]
    assert line.cells(["rapport", "mem0", "langmem"]) == cells


def test_no_word_and_so_no_statement_belongs_to_two_stories() -> None:
    stories = life_stories(30, seed="test")
    statements = [says for story in stories for says in {says for told in story.told for says in told.says}]

    assert len(statements) == len(set(statements))
    assert all(story.true_at_the_end() for story in stories)
    changes = [told for story in stories for told in story.changes]
    assert all(told.ends or told.message.startswith("As I said: ") for told in changes)
