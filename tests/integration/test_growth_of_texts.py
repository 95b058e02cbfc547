"""What a person or a document says is read in time that grows with it, whatever it says."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from chat.messages import without_calls
from context.text import fenced_data, without_notes
from knowledge.chunking import MOST_JOINED, cut_document
from knowledge.parsing.base import Block
from knowledge.ranking import significant
from memory.fence import cut_fenced, escape_item, fence
from memory.mending.remainders import without
from memory.mending.wishes import read_wish
from memory.retrieval.index.text import LONGEST_RUN, without_names, words_for_index
from providers.llm.base import NumberedMessage, PromptData
from providers.llm.offline.reading import read_messages
from tests.growth import MOST, growth

TEXTS: dict[str, Callable[[int], str]] = {
    "spaces": lambda size: "a" + " " * size + "b",
    "line ends": lambda size: "a" + "\n" * size + "b",
    "no-break spaces": lambda size: "\u00a0" * size,
    "marks out of order": lambda size: "\u0301\u0323" * (size // 2),
    "underscores": lambda size: "a_" * (size // 2),
    "open fences": lambda size: "<rapport_memory>" * (size // 16),
    "closed fences": lambda size: "<rapport_memory>a</rapport_memory>" * (size // 34),
    "hidden in fences": lambda size: "<\u200brapport_\U000e0041memory>" * (size // 18),
    "notes": lambda size: "［system\u200b note]" * (size // 14),
    "quotation marks": lambda size: " '" * (size // 2),
    "code marks": lambda size: "``` " * (size // 4),
    "questions": lambda size: "Tea now? " * (size // 9),
    "dots": lambda size: "." * size,
    "tabs and commas": lambda size: "\t, " * (size // 3),
    "commas": lambda size: "I like a" + ", " * (size // 2),
    "please": lambda size: "".join(f"{'please ' * 280} {n}.\n" for n in range(size // 1970)),
    "sentences": lambda size: "".join(f"I like tea number {n}.\n" for n in range(size // 24)),
}
WISH = read_wish("I like green tea")
WORK: dict[str, Callable[[str], object]] = {
    "index": words_for_index,
    "asking": lambda text: significant(text, text, ["Ada", "Maya Long"]),
    "names": lambda text: without_names(text, ["Ada", "Maya Long"]),
    "cut": cut_fenced,
    "notes": without_notes,
    "fence": lambda text: fence([text]),
    "item": escape_item,
    "rules": lambda text: read_messages(prompt_data(text)),
    "rest": lambda text: without(WISH, text, stems={}),
}


def prompt_data(text: str) -> PromptData:
    message = NumberedMessage(1, "user", "Maya", text, datetime(2026, 3, 2, tzinfo=UTC))
    return PromptData((), (message,), "UTC", ("preference", "other"), "Maya")


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_a_message_of_any_sort_is_read_in_time_that_grows_with_it(work: Callable[[str], object]) -> None:
    ratios = {sort: growth(work, text, size=16_000) for sort, text in TEXTS.items()}

    assert {sort: ratio for sort, ratio in ratios.items() if ratio >= MOST} == {}


def test_a_sentence_that_only_asks_please_is_soon_given_up() -> None:
    """Three loops over the same word took the cube of their number; a sentence has 2,000 characters at the most."""
    assert (
        growth(lambda text: read_messages(prompt_data(text)), lambda size: "please " * size + "x.", size=70)
        < MOST
    )


def test_a_reply_that_looks_like_calls_without_end_is_soon_told_from_calls() -> None:
    assert growth(without_calls, lambda size: "\n[calls a(" * (size // 10), size=32_000) < MOST


def test_what_the_index_is_given_has_no_long_run() -> None:
    """PostgreSQL's parser takes the square of a run, for `_` and `~` in it, and of a comment that never ends."""
    words = words_for_index("a_" * 10_000 + " ~/" * 100 + "<!-- " * 1000 + "é_" * 1000)

    assert max(map(len, words.split())) <= LONGEST_RUN
    assert "<!--" not in words


def test_a_long_name_is_not_written_out_for_each_value_below_it() -> None:
    def render(data: dict[str, object]) -> str:
        return fenced_data(data, what="profile", intro="Known.", budget=2000)[0]

    def wide(size: int) -> dict[str, object]:
        return {"k" * (size // 2): {f"a{n}": 1 for n in range(size // 20)}}

    assert growth(render, wide, size=60_000) < MOST


@pytest.mark.parametrize(
    "unit", ["a", "一", "\u0301", "a\n", "a. "], ids=["run", "han", "marks", "lines", "sentences"]
)
def test_a_document_is_cut_in_time_that_grows_with_it(unit: str) -> None:
    def cut(text: str) -> object:
        return cut_document([Block(text)], tokens=400, overlap=200)

    assert growth(cut, lambda size: unit * (size // len(unit)), size=500_000) < MOST


def test_marks_without_end_are_cut_too() -> None:
    chunks = cut_document([Block("a" + "\u0301" * 10_000)], tokens=100, overlap=0)

    assert max(len(chunk.content) for chunk in chunks) < 4 * 100 + 8 * MOST_JOINED
