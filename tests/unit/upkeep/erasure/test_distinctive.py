"""Which words of an entry give it away, and whether a message holds them."""

import pytest

from upkeep.erasure.holding import (
    held_in,
    may_be_of,
    names_in,
    telling_words,
    words_of_entry,
    words_of_message,
)

STEMS = {
    "lives": ["live"],
    "live": ["live"],
    "vienna": ["vienna"],
    "maya": ["maya"],
    "called": ["call"],
    "in": [],
}


def holds(entry: str, message: str) -> bool:
    """Whether the message holds every word of the entry, by the words alone."""
    wanted = words_of_entry(entry)
    return held_in(words_of_message(message), wanted, {}) == wanted


@pytest.mark.parametrize(
    ("entry", "message", "held"),
    [
        ("ORD-17", "Where is ORD-17?", True),
        ("ORD-17", "where is (ord-17)!", True),
        ("ORD-17", "Where is ORD\u201117?", True),
        ("ORD-17", "Where is ORD-170?", False),
        ("ORD-17", "Where is XORD-17?", False),
        ("ORD-17", "Where is ORD-17-B?", False),
        ("17", "Where is ORD-17?", False),
        ("17", "I am 17.", True),
        ("eva@firm.org", "Write to Eva@firm.org.", True),
        ("eva@firm.org", "Write to eva@firm.org.br", False),
        ("eva@firm.org", "Write to neva@firm.org", False),
        ("2026-03-02", "Born on 2026-03-02, she said", True),
        ("2026-03-02", "Born on 2026-03-021", False),
        ("Vienna", "A _Vienna_-based choir, Vienna's best", True),
        ("Vienna", "The Viennas of this world", False),
        ("Zürich", "ZURICH is loud", True),
        ("Zurich", "In Zürich ist es laut", True),
        ("Straße", "STRASSE", True),
        ("Ioana Țepeș", "ioana tepes", True),
        ("ウィーン", "私はウィーンに住んでいます", True),
        ("ウィーン", "私はワルシャワに住んでいます", False),
        ("Likes 😀", "😀!", False),
        ("Eva", "Evangeline", False),
    ],
)
def test_words_are_held_whole_and_without_case_and_accents(entry: str, message: str, held: bool) -> None:
    assert holds(entry, message) is held


def test_other_endings_count_and_other_words_that_begin_alike_do_not() -> None:
    wanted = frozenset({"lives", "vienna"})
    said = words_of_message("You live in a viennese flat")

    assert may_be_of(said, wanted) == {"live", "viennese"}
    assert held_in(said, wanted, {**STEMS, "viennese": ["viennes"]}) == {"lives"}


def test_an_identifier_has_no_endings() -> None:
    assert may_be_of({"ord-170", "ord"}, {"ord-17"}) == frozenset()
    assert held_in({"17s"}, {"17"}, {"17": ["17"], "17s": ["17"]}) == frozenset()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("Lives in Vienna", {"lives", "vienna"}),
        ("Maya lives in Vienna", {"lives", "vienna"}),
        ("Called Maya", {"called", "maya"}),  # without her name it would be any call
        ("in", set()),
    ],
)
def test_stop_words_do_not_count_nor_do_those_it_may_be_told_of(content: str, words: set[str]) -> None:
    assert telling_words(content, stems=STEMS, people=["Maya"]) == words


def test_names_are_what_is_written_with_a_capital_inside_the_text() -> None:
    assert names_in("Lives in Vienna") == {"vienna"}
