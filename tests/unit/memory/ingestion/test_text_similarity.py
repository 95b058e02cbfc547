"""How texts are held against each other by their words."""

import sys
from collections import Counter
from types import FrameType
from typing import Any
from uuid import uuid4

from memory.ingestion.text_similarity import said_whole, share_said, unsaid_words
from tests.growth import MOST, growth


def test_a_long_entry_is_read_once_beside_many_additions() -> None:
    entry, read = f"Collects stamps of {uuid4()}", Counter[str]()

    def count(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_name == "words_of":
            read[str(frame.f_locals["text"])] += 1

    sys.setprofile(count)
    try:
        shares = [share_said(entry, f"Collects coins of {number}") for number in range(20)]
    finally:
        sys.setprofile(None)

    assert len(set(shares)) == 1 and 0 < shares[0] < 1
    assert read[entry] == 1


def test_words_that_nobody_said_are_given_as_they_are_written() -> None:
    assert unsaid_words("Moved to Lisbon with Ana", "She lives in Lisboa", own=("Ana",)) == ["Moved"]


def test_texts_are_found_that_another_says_whole() -> None:
    known = [
        "Went to Lisbon with Ana",
        "Lives in Lisbon",
        "Went to Porto by train",
        "Ana went to Lisbon gladly",
    ]

    whole = said_whole(known, own=("Ana",), least=2)

    assert sorted(whole("He went to Lisbon and is living there")) == [
        "Lives in Lisbon",
        "Went to Lisbon with Ana",
    ]
    assert [*said_whole(known, own=(), least=3)("Lives in Lisbon")] == []


def test_many_texts_are_looked_up_among_many_in_time_that_grows_with_them() -> None:
    def look_up(texts: list[str]) -> int:
        whole = said_whole(texts[::2], own=(), least=2)
        return sum(1 for text in texts for _ in whole(text))

    def made(size: int) -> list[str]:
        return [f"{number:x}a{number:x} and {number:x}b{number:x}" for number in range(size)]

    assert look_up(made(200)) == 100
    assert growth(look_up, made, size=700) < MOST
