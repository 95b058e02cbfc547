from typing import Any

import pytest

from memory.ingestion.items import (
    RefusedItem,
    cited_messages,
    entry_number,
    moment_in,
    number_of,
    numbers_of,
    share_in,
    short,
    subject_in,
    text_of,
    type_of,
)
from tests.unit.memory.ingestion.readings import ingestion_input, shown

READ = ingestion_input("I like tea.", "And rain.")


@pytest.mark.parametrize(
    ("written", "number"),
    [(3, 3), ("3", 3), ("[3]", 3), ("#3", 3), (True, None), ("three", None), (3.0, None), ("9" * 12, None)],
)
def test_a_number_is_understood_as_models_write_it(written: Any, number: int | None) -> None:
    assert number_of(written) == number


def test_a_list_with_one_that_is_no_number_is_none() -> None:
    assert numbers_of([1, "2"]) == (1, 2)
    assert numbers_of([1, "x"]) is None


def test_an_item_rests_on_messages_that_were_shown_each_once() -> None:
    assert cited_messages({"messages": [2, 9, 2, 1]}, READ) == (2, 1)
    for messages in ([], [9], "x", None):
        with pytest.raises(RefusedItem):
            cited_messages({"messages": messages}, READ)


def test_only_an_entry_that_was_shown_and_may_be_changed_is_named() -> None:
    entries = [shown("Likes tea"), shown("Is called Max", read_only=True)]

    assert entry_number({"entry": "1"}, entries) == 1
    for number in (0, 2, 3, None):
        with pytest.raises(RefusedItem):
            entry_number({"entry": number}, entries)


def test_a_text_is_one_line_without_what_cannot_be_kept() -> None:
    assert text_of({"value": " a\x00\n b\ud800 "}, "value") == "a b"
    with pytest.raises(RefusedItem, match="value is empty"):
        text_of({"value": "\x00"}, "value")


def test_a_type_that_is_not_known_becomes_other_or_stays_as_it_was() -> None:
    remarks: list[str] = []

    assert type_of({"type": " Goal "}, READ, remarks) == "goal"
    assert remarks == []
    assert type_of({"type": "mood"}, READ, remarks) == "other"
    assert type_of({"type": "mood"}, READ, remarks, changes=True) == ""
    assert len(remarks) == 2


def test_details_that_are_wrong_are_left_out_with_a_remark() -> None:
    remarks: list[str] = []

    assert share_in({"confidence": 1.5}, "confidence", remarks) is None
    assert moment_in({"happens_at": "soon"}, "happens_at", READ, remarks) is None
    assert len(remarks) == 2
    assert subject_in({"subject": " USER "}) == "user"


def test_what_is_kept_of_an_item_has_a_depth_and_a_width() -> None:
    kept = short({str(number): {"a": {"b": {"c": {}}}} for number in range(50)})

    assert len(kept) == 20
    assert kept["0"] == {"a": {"b": {"c": "..."}}} or kept["0"] == {"a": {"b": "..."}}
