from knowledge.parsing.base import Block, Headings, clean, paragraphs


def test_what_can_not_be_kept_is_replaced() -> None:
    assert clean("a\x00b \ud800 c") == "a\ufffdb \ufffd c"


def test_line_ends_are_one_sort_and_marks_of_layout_are_gone() -> None:
    assert clean("a\r\nb\rc\u2028d\x0be") == "a\nb\nc\nd\ne"
    assert clean("\ufeffsyl\u00adla\u200bble\x07") == "syllable"


def test_letters_in_the_shapes_of_a_font_become_letters() -> None:
    assert clean("eﬃcient ﻼ ⽇") == "efficient لا 日"
    assert clean("x² № ½ Ⅳ") == "x² № ½ Ⅳ", "what a writer wrote stays"


def test_an_empty_line_or_a_form_feed_ends_a_paragraph() -> None:
    assert list(paragraphs("one\nstill one\n \n\ntwo\fthree\n", page=4, heading="H")) == [
        Block("one\nstill one", 4, "H"),
        Block("two", 4, "H"),
        Block("three", 4, "H"),
    ]


def test_a_heading_ends_those_of_its_level_and_below() -> None:
    headings = Headings()
    paths = []
    for level, title in [(1, "A"), (2, "B"), (3, "C"), (2, "D\n d"), (1, "E"), (1, " ")]:
        headings.enter(level, title)
        paths.append(headings.path)

    assert paths == ["A", "A > B", "A > B > C", "A > D d", "E", ""]


def test_a_path_of_headings_has_an_end() -> None:
    headings = Headings()
    headings.enter(1, "x" * 1000)

    assert len(headings.path) == 300
