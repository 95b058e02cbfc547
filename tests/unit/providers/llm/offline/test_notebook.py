from datetime import UTC, datetime

import pytest

from providers.llm.base import NumberedEntry
from providers.llm.offline.facts import Fact, read_kept
from providers.llm.offline.notebook import MAX_CONTENT, Line, Notebook


def notebook(*contents: str, read_only: bool = False) -> Notebook:
    return Notebook(
        tuple(
            NumberedEntry(number, "preference", "user", content, read_only=read_only)
            for number, content in enumerate(contents, start=1)
        )
    )


def fact(content: str, type: str = "preference") -> Fact:
    return read_kept(content, type=type, called="")


def test_a_fact_that_is_known_word_for_word_is_not_added() -> None:
    book = notebook("Collects  STAMPS.")
    assert book.keep(fact("Collects stamps"), message=1) is None
    assert book.operations() == []


def test_what_contradicts_takes_the_line_and_strikes_the_others() -> None:
    book = notebook("Likes tea", "Enjoys tea")
    book.keep(fact("Dislikes tea"), message=1)
    assert [(one["op"], one["entry"]) for one in book.operations()] == [("update", 1), ("delete", 2)]


def test_a_line_is_touched_once_however_often_it_changes() -> None:
    book = notebook("Likes tea")
    book.keep(fact("Dislikes tea"), message=1)
    book.keep(fact("Loves tea"), message=2)
    assert book.operations() == [{"op": "update", "entry": 1, "content": "Loves tea", "messages": [1, 2]}]


def test_what_is_changed_back_is_no_change_and_what_comes_and_goes_leaves_no_trace() -> None:
    book = notebook("Likes tea")
    book.keep(fact("Hates tea"), message=1)
    book.keep(fact("Likes tea"), message=2)
    line = book.keep(fact("Likes rum"), message=1)
    assert line is not None
    book.strike(line, message=2, reason="asked to forget it")
    assert book.operations() == []


def test_a_read_only_line_is_neither_changed_nor_contradicted() -> None:
    book = notebook("Likes tea", read_only=True)
    assert book.keep(fact("Dislikes tea"), message=1) is None
    book.strike(next(book.lines()), message=1, reason="asked to forget it")
    assert book.operations() == []


def test_two_lines_that_come_to_say_the_same_become_one() -> None:
    book = notebook("Likes tea", "Likes the tea")
    book.rewrite(list(book.lines())[1], "Likes tea", message=1)
    assert [operation["op"] for operation in book.operations()] == ["delete"]


def test_a_story_is_not_kept_as_a_statement() -> None:
    assert notebook().keep(fact("x" * (MAX_CONTENT + 1)), message=1) is None


def test_the_newest_line_comes_first() -> None:
    days = (datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 5, 1, tzinfo=UTC))
    book = Notebook(
        tuple(NumberedEntry(n, "other", "user", f"said {n}", effective_at=day) for n, day in enumerate(days))
    )
    book.keep(fact("newest", "other"), message=1)
    assert [line.content for line in book.newest_first()] == ["newest", "said 1", "said 0"]
    assert len(book) == 3


@pytest.mark.parametrize(
    ("content", "kind", "value"),
    [
        ("Lives in Lisbon (moved from Porto in November 2026)", "city", "lisbon"),
        ("Maya lives in Lisbon", "city", "lisbon"),
        ("The user currently lives in Lisbon", "city", "lisbon"),
        ("Is 34 years old (as of November 2026)", "age", "34"),
        ("User enjoys hiking", "attitude", "like"),
        ("Cannot stand packing", "attitude", "dislike"),
        ("Prefers tea over coffee", "prefer", "tea"),
        ("Favourite colour is green", "favourite", "green"),
        ("Is vegetarian", "diet", "vegetarian"),
        ("Has a sister named Ana", "person", "ana"),
        ("Works as a nurse at Hospital da Luz", "work", "works"),
        ("Wants to run a marathon", "goal", "wants to run a marathon"),
    ],
)
def test_what_is_kept_is_read_by_the_table_that_wrote_it(content: str, kind: str, value: str) -> None:
    read = read_kept(content, type="other", called="maya")
    assert (read.kind, read.value) == (kind, value)


@pytest.mark.parametrize(
    ("content", "negated"),
    [("No longer lives in Berlin", True), ("Is no longer vegetarian", True), ("Is vegetarian", False)],
)
def test_a_negation_is_known(content: str, negated: bool) -> None:
    assert read_kept(content, type="other", called="").negated is negated


@pytest.mark.parametrize(
    ("line", "confidence"),
    [
        (Line(None, "identity", "user", "Lives in Faro"), 0.95),
        (Line(None, "identity", "Ana", "Ana lives in Faro", called="ana"), 0.85),
        (Line(None, "other", "user", "Sings in a choir"), 0.75),
    ],
)
def test_a_line_is_as_sure_as_it_was_understood(line: Line, confidence: float) -> None:
    assert line.confidence == confidence
