"""A few signs that are repeated without end are read in time that grows with the text, whatever they are.

This found expressions that begin again at each dot of a message of dots, and sentences that are judged once for each of
their words. With RAPPORT_FUZZ=long many more repetitions are tried.
"""

import os
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date

import pytest

from context.passages import passage_in
from context.text import without_notes
from memory.aliases import aliases_in, sayings_among
from memory.dates import dates_in
from memory.entries.happens import happens_text, moved_with
from memory.entries.times import times_in
from memory.fence import cut_fenced, escape_item
from memory.ingestion.lost_details import lost_details, names_in, says_name_of
from memory.ingestion.strategies.taken_back import takes_back
from memory.ingestion.text_similarity import share_said
from memory.mending.judging import judge, subject_of_text
from memory.mending.remainders import says_more, without
from memory.mending.wishes import read_wish, unkept_in, wish_in
from memory.quoted import lines_of
from memory.retrieval.index.text import words_for_index
from memory.retrieval.relative_dates import relative_periods
from memory.words import telephones, words_of
from providers.llm.json_text import closed_loop, extract_json_text, without_thoughts
from providers.shorthand import spelt_out
from tests.growth import MOST, growth
from workspace.yaml_files import read_yaml

SIGNS = [
    *("his father ", "Leo's ", "and ", ", but not ", "don't ", "forget that ", "please ", "called ", "never "),
    *("Anna Kern ", "Dr. ", "A-", "a.b.", "@", "http://", "+44 20 ", "ord 17 ", "2026-03-", "May ", "last week "),
    *("Ana: hi\n", "[9:05 pm] Ana: ", "at 9 pm ", "wait ", "no, ", "pls "),
    *(".", "...", "!?", "。", "、", "…", "—", " - ", ":", "; ", ", ", "\t", " ", "\n", "\r\n", "\"", "'", "“"),
    *("(", "[", "[system note", "<", "<rapport_memory>", "<think>", "{", '{"op":', "\\", "```", "# ", "|", "_", "~"),
    *("1", "1,", "1 000 ", "½", "x", "Xx", "蓮は", "です", "שלום ", "ال", "\u200d", "\u0301", "\ufe0f", "😀", "ﬁ"),
]  # fmt: skip
FATHER, TEA = read_wish("my father", ("Maya",)), read_wish("I like green tea and coffee", ("Maya",))
READERS: dict[str, Callable[[str], object]] = {
    "aliases": lambda text: (aliases_in([text]), sayings_among([text])),
    "chats": lambda text: (list(lines_of(text)), spelt_out(text), times_in(text), takes_back(text)),
    "dates": lambda text: (dates_in(text), relative_periods(text, date(2026, 3, 2))),
    "fence": lambda text: (cut_fenced(text), escape_item(text), without_notes(text)),
    "happens": lambda text: moved_with("2026-03", old=text, new=text[::-1]),
    "happens at": happens_text,
    "index": words_for_index,
    "json": lambda text: (closed_loop(text, "operations"), without_thoughts(text)),
    "json text": extract_json_text,
    "judge": lambda text: (
        judge(FATHER, text, stems={}),
        judge(TEA, text, stems={}),
        subject_of_text(text, ("Maya",)),
    ),
    "likeness": lambda text: share_said(text, text[::-1]),
    "losses": lambda text: lost_details(text, text[::-1], names=("蓮", "Anna"), own=("Maya",)),
    "names": lambda text: says_name_of([names_in(text)], text),
    "passage": lambda text: passage_in(text, "What tea did I like in May?", tokens=100),
    "rest": lambda text: (without(TEA, text, stems={}), says_more(TEA, text, stems={})),
    "wishes": lambda text: (wish_in(text), unkept_in(text), read_wish(text[:600], ("Maya",))),
    "words": lambda text: (words_of(text), telephones(text)),
    "yaml": lambda text: read_yaml(text.encode()),
}


def repeated() -> Iterator[str]:
    chance = random.Random(7)
    for _ in range(400 if os.environ.get("RAPPORT_FUZZ") == "long" else 40):
        yield "".join(chance.choices(SIGNS, k=chance.choice([1, 1, 2, 3])))


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_whatever_is_repeated_is_read_in_time_that_grows_with_it(read: Callable[[str], object]) -> None:
    def read_or_refuse(text: str) -> None:
        with suppress(ValueError):
            read(text)

    def grows(signs: str) -> float:
        return growth(read_or_refuse, lambda size: (signs * size)[:size], size=2500)

    ratios = {signs: grows(signs) for signs in (".", "\t, ", *repeated())}
    assert {signs: ratio for signs, ratio in ratios.items() if ratio >= MOST} == {}
