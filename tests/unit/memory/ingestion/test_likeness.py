"""How texts are held against each other by their words."""

import sys
from collections import Counter
from types import FrameType
from typing import Any
from uuid import uuid4

from memory.ingestion.likeness import share_said, unsaid_words


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
