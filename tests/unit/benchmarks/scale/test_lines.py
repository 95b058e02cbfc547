from benchmarks.scale.lines import ENTRIES, PATTERNS, line, question, said


def test_nobody_has_the_same_line_twice() -> None:
    lines = [line(pattern, place) for pattern in range(PATTERNS) for place in range(ENTRIES)]

    assert len(set(lines)) == PATTERNS * ENTRIES
    assert max(map(len, lines)) < 80


def test_a_question_asks_about_what_lines_name() -> None:
    words = {word for place in range(ENTRIES) for word in line(0, place).replace(",", "").split()}

    assert all(words & set(question(number).strip("?").split()) for number in range(13))


def test_a_turn_is_what_one_says_and_the_other_answers() -> None:
    mine, theirs = said(3, 1)

    assert mine != theirs
    assert (mine, theirs) == said(3, 1)
