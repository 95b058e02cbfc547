from datetime import UTC, datetime

from memory.providers.base import NumberedEntry
from memory.providers.offline.notebook import MAX_CONTENT, Fact, Notebook


def notebook(*contents: str, read_only: bool = False) -> Notebook:
    return Notebook(
        tuple(
            NumberedEntry(number, "preference", "user", content, read_only=read_only)
            for number, content in enumerate(contents, start=1)
        )
    )


def test_a_new_fact_is_added_with_what_is_known_of_it() -> None:
    book = notebook()
    book.keep(Fact("event", "Flies to Rome", happens_at="2026-12-03", importance=0.5), message=2)
    assert book.operations() == [
        {
            "op": "add",
            "type": "event",
            "content": "Flies to Rome",
            "subject": "user",
            "importance": 0.5,
            "messages": [2],
            "happens_at": "2026-12-03",
        }
    ]


def test_a_fact_that_is_known_word_for_word_is_not_added() -> None:
    book = notebook("Collects  STAMPS.")
    assert book.keep(Fact("other", "Collects stamps"), message=1) is None
    assert book.operations() == []


def test_what_contradicts_takes_the_line_and_strikes_the_others() -> None:
    book = notebook("Likes tea", "Enjoys tea")
    book.keep(Fact("preference", "Dislikes tea"), message=1)
    assert [(operation["op"], operation["entry"]) for operation in book.operations()] == [
        ("update", 1),
        ("delete", 2),
    ]


def test_a_line_is_touched_once_however_often_it_changes() -> None:
    book = notebook("Likes tea")
    book.keep(Fact("preference", "Dislikes tea"), message=1)
    book.keep(Fact("preference", "Loves tea"), message=2)
    assert book.operations() == [{"op": "update", "entry": 1, "content": "Loves tea", "messages": [1, 2]}]


def test_what_is_changed_back_is_no_change() -> None:
    book = notebook("Likes tea")
    line = next(book.lines())
    book.rewrite(line, "Hates tea", message=1)
    book.rewrite(line, "Likes tea", message=2)
    assert book.operations() == []


def test_what_comes_and_goes_in_one_reading_leaves_no_trace() -> None:
    book = notebook()
    line = book.keep(Fact("preference", "Likes rum"), message=1)
    assert line is not None
    book.strike(line, message=2, reason="asked to forget it")
    assert book.operations() == []


def test_a_read_only_line_is_neither_changed_nor_contradicted() -> None:
    book = notebook("Likes tea", read_only=True)
    assert book.keep(Fact("preference", "Dislikes tea"), message=1) is None
    book.strike(next(book.lines()), message=1, reason="asked to forget it")
    assert book.operations() == []


def test_two_lines_that_come_to_say_the_same_become_one() -> None:
    book = notebook("Likes tea", "Likes the tea")
    second = list(book.lines())[1]
    book.rewrite(second, "Likes tea", message=1)
    assert [operation["op"] for operation in book.operations()] == ["delete"]


def test_a_story_is_not_kept_as_a_statement() -> None:
    assert notebook().keep(Fact("other", "x" * (MAX_CONTENT + 1)), message=1) is None


def test_the_newest_line_comes_first() -> None:
    book = Notebook(
        (
            NumberedEntry(1, "other", "user", "old", effective_at=datetime(2026, 1, 1, tzinfo=UTC)),
            NumberedEntry(2, "other", "user", "new", effective_at=datetime(2026, 5, 1, tzinfo=UTC)),
        )
    )
    book.keep(Fact("other", "newest"), message=1)
    assert [line.content for line in book.newest_first()] == ["newest", "new", "old"]
    assert len(book) == 3
