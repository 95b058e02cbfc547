import json
from datetime import UTC, datetime
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.errors import UnparsableAnswer
from memory.ingestion.operations import (
    MAX_OPERATIONS,
    Operation,
    check_operations,
    parse_answer,
)
from tests.unit.memory.ingestion.readings import ingestion_input, shown

GOOD = {"op": "add", "type": "preference", "content": "Likes tea", "messages": [1]}


def check(*raw: Any, **of_reading: Any) -> list[Operation]:
    return check_operations(list(raw), ingestion_input("I like tea.", "And cake.", **of_reading))


def test_an_answer_that_decides_nothing_is_unparsable() -> None:
    with pytest.raises(UnparsableAnswer):
        parse_answer("{}", "decisions")


@pytest.mark.parametrize(
    ("text", "operations"),
    [
        ("[]", []),
        ("{}", []),
        ('{"operations": null}', []),
        ('{"wishes": []}', []),
        ('{"op": "add"}', [{"op": "add"}]),
    ],
    ids=["bare list", "nothing", "null", "wishes alone", "one operation"],
)
def test_an_answer_without_its_list_is_understood(text: str, operations: list[Any]) -> None:
    assert parse_answer(text) == operations


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Sorry, I can't.",
        '{"operations": [',
        '{"operations": "none"}',
        "42",
        '{"answer": []}',
        "[" * 100_000,
    ],
    ids=["empty", "prose", "cut off", "no list", "number", "other name", "too deep"],
)
def test_what_holds_no_list_of_operations_is_unparsable(text: str) -> None:
    with pytest.raises(UnparsableAnswer):
        parse_answer(text)


def test_a_whole_operation_is_understood() -> None:
    [operation] = check(
        {
            **GOOD,
            "subject": " Ana ",
            "key": "Favourite Drink",
            "importance": 0.7,
            "happens_at": "2026-03-14",
            "expires_at": "2026-03-15T10:00:00+01:00",
            "messages": [2, 1, 2],
        },
        timezone="Europe/Lisbon",
    )

    assert operation.op != "refused"
    assert (operation.subject, operation.key, operation.importance) == ("Ana", "favourite_drink", 0.7)
    assert operation.messages == (2, 1)
    assert operation.happens_at == "2026-03-14"
    assert operation.expires_at == datetime(2026, 3, 15, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"op": "merge"}, "known: add, update, replace, delete"),
        ({"op": None}, "known: add, update, replace, delete"),
        ({"op": "NONE"}, "op is 'none': there is nothing to do"),
        ({"content": ""}, "content is empty"),
        ({"content": "\x00\x07 "}, "content is empty"),
        ({"content": ["Likes", "tea"]}, "content is not a text"),
        ({"content": "é" * 3000}, "longer than 4096 bytes"),
        ({"messages": []}, "rests on no new message"),
        ({"messages": None}, "messages is not a list of numbers"),
        ({"messages": ["first"]}, "messages is not a list of numbers"),
        ({"messages": [3]}, "rests on messages that were not shown"),
        ({"messages": [0, -1]}, "rests on messages that were not shown"),
        ({"op": "delete", "entry": 2}, "entry 2 was not shown"),
        ({"op": "delete", "entry": 0}, "entry 0 was not shown"),
        ({"op": "delete", "entry": True}, "names no entry"),
        ({"op": "delete", "entry": 1.5}, "names no entry"),
        ({"op": "delete", "entry": "-1"}, "names no entry"),
        ({"op": "delete", "entry": "9" * 12}, "names no entry"),
        ({"content": "N/A"}, "content says nothing"),
        ({"content": "..."}, "content says nothing"),
        ({"messages": [1, "x"]}, "messages is not a list of numbers"),
        ({"op": "delete"}, "names no entry"),
        ({"op": "delete", "entry": "01890a5d-ac96-774b-bcce-b302099a8057"}, "names no entry"),
    ],
)
def test_a_bad_operation_is_refused_with_its_reason(change: dict[str, Any], reason: str) -> None:
    refused, good = check({**GOOD, **change}, GOOD, entries=[shown("Likes water")])

    assert refused.op == "refused"
    assert reason in refused.reason
    assert good.op != "refused"


@pytest.mark.parametrize(
    ("said", "kept"), [("0.9", 0.9), (" .5 ", 0.5), ("1", 1.0), ("9", None), ("nan", None), ("high", None)]
)
def test_a_share_may_be_written_as_a_text(said: str, kept: float | None) -> None:
    [operation] = check({**GOOD, "importance": said})

    assert operation.importance == kept
    assert bool(operation.remarks) == (kept is None)


@pytest.mark.parametrize("number", [1, 1.0, "1", "1.", "[1]", [1], ["1"], "#1", "entry 1"])
def test_a_number_may_be_written_as_models_write_it(number: Any) -> None:
    [operation] = check({"op": "delete", "entry": number, "messages": number}, entries=[shown("Likes water")])

    assert operation.op != "refused"
    assert (operation.entry, operation.messages) == (1, (1,))


@pytest.mark.parametrize("numbers", ["1, 2", "[1, 2]", ["message 1", "2"]])
def test_numbers_may_be_written_as_models_write_them(numbers: Any) -> None:
    [operation] = check({**GOOD, "messages": numbers})

    assert operation.op != "refused"
    assert operation.messages == (1, 2)


@pytest.mark.parametrize(
    "written",
    [
        {**GOOD, "op": "ADD"},
        {"operation": "add", "type": "preference", "text": "Likes tea", "message": 1},
        {"action": "Add ", "type": "preference", "content": "Likes tea", "messages": [1]},
    ],
    ids=["upper case", "other names", "another"],
)
def test_an_operation_may_have_the_names_that_models_give_it(written: dict[str, Any]) -> None:
    [operation] = check(written)

    assert operation.op != "refused"
    assert (operation.op, operation.content, operation.messages) == ("add", "Likes tea", (1,))


@pytest.mark.parametrize("entry", [None, 0, 7, "none"])
@pytest.mark.parametrize("op", ["update", "replace"])
def test_what_would_change_an_entry_that_was_not_shown_is_kept_as_new(op: str, entry: Any) -> None:
    [operation] = check({**GOOD, "op": op, "entry": entry}, entries=[shown("Likes water")])

    assert operation.op != "refused"
    assert (operation.op, operation.entry, operation.type) == ("add", None, "preference")
    assert "kept as new" in " ".join(operation.remarks)


@pytest.mark.parametrize(
    ("change", "remark"),
    [
        ({"type": None}, "kept as other"),
        ({"importance": 7}, "importance"),
        ({"importance": float("nan")}, "importance"),
        ({"happens_at": "next Tuesday"}, "happens_at"),
        ({"expires_at": "9999-99-99"}, "expires_at"),
        ({"happens_at": 2026_03_14_15}, "happens_at"),
        ({"happens_at": "2026-05-03", "key": "birthday"}, "next birthday"),
    ],
)
def test_a_detail_that_is_wrong_is_left_out_with_a_remark_and_the_fact_is_kept(
    change: dict[str, Any], remark: str
) -> None:
    [operation] = check({**GOOD, **change})

    assert operation.op != "refused"
    assert (operation.content, operation.happens_at) == ("Likes tea", None)
    assert remark in " ".join(operation.remarks)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("30 April 2026", "2026-04-30"),
        ("March 23rd, 2026", "2026-03-23"),
        ("14. März 2026", "2026-03-14"),
        ("2026年3月14日", "2026-03-14"),
        ("May 2026", "2026-05"),
        ("30 February 2026", None),
        ("30 April", None),
        ("early May 2026", None),
        ("30 April 2026 or 1 May 2026", None),
        ("before 30 April 2026", None),
        ("May 8, 2026 at 3pm", "2026-05-08T15:00"),
        ("8. Mai 2026 um 15.30 Uhr", "2026-05-08T15:30"),
        ("8 mai 2026 à 15h", "2026-05-08T15:00"),
        ("2026-05-08 12am", "2026-05-08T00:00"),
        ("8 May 2026 5", None),
        ("May 2026 at 15:00", None),
        ("2026-09-05 - 2026-09-07", "2026-09-05/2026-09-07"),
        ("5 September 2026 bis 7. September 2026", "2026-09-05/2026-09-07"),
        ("2026年5月8日から2026年5月9日", "2026-05-08/2026-05-09"),
        (["2026-09-05", "2026-09-07"], "2026-09-05/2026-09-07"),
        ("2026-09-07 - 2026-09-05", None),
    ],
)
def test_a_whole_date_with_its_year_is_understood_as_people_write_it(said: Any, kept: str | None) -> None:
    [operation] = check({**GOOD, "happens_at": said})

    assert operation.happens_at == kept
    assert bool(operation.remarks) == (kept is None)


def test_an_answer_of_endless_operations_is_cut_off_visibly() -> None:
    judged = check(*[{**GOOD, "content": f"Fact {number}"} for number in range(MAX_OPERATIONS + 3)])

    assert sum(item.op == "refused" for item in judged) == 3


@pytest.mark.parametrize("number", [10**30, -(10**30), 1e300, float("inf")])
def test_a_number_beyond_64_bits_is_kept_as_text_so_that_the_trace_can_be_shown(number: Any) -> None:
    [operation] = check({**GOOD, "confidence": number})

    assert operation.op != "refused"
    assert orjson.loads(orjson.dumps(operation.raw))["confidence"] == str(number)


def test_an_operation_that_is_nested_without_end_is_kept_down_to_its_fourth_level() -> None:
    deep: Any = "bottom"
    for _ in range(800):
        deep = [deep]

    operation, refused = check({**GOOD, "extra": deep}, deep)

    assert operation.op != "refused"
    assert refused.op == "refused"
    assert (operation.raw["extra"], refused.raw) == ([[["..."]]], [[[["..."]]]])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=15,
)
NAMES = st.sampled_from(
    ["op", "entry", "type", "content", "subject", "messages", "importance", "happens_at", "key"]
)


@given(
    st.lists(
        st.dictionaries(NAMES, JSON | st.sampled_from(["add", "update", "delete", [1]])) | JSON, max_size=5
    )
)
def test_no_garbage_stops_the_others_and_all_of_it_can_be_stored(raw: list[Any]) -> None:
    judged = check(*raw, GOOD, entries=[shown("Likes water")])

    assert len(judged) == len(raw) + 1
    assert judged[-1].op != "refused"
    for item in judged:
        stored = json.dumps(item.raw, allow_nan=False)
        assert "\\u0000" not in stored
        assert orjson.dumps(json.loads(stored))


@pytest.mark.parametrize(
    ("timezone", "written", "meant"),
    [
        ("Asia/Tokyo", "2026-03-14", datetime(2026, 3, 14, 14, 59, 59, tzinfo=UTC)),
        ("UTC", "2026-03", datetime(2026, 3, 31, 23, 59, 59, tzinfo=UTC)),
        ("UTC", "31 March 2026", datetime(2026, 3, 31, 23, 59, 59, tzinfo=UTC)),
        ("UTC", "2026-03-01/2026-03-14T09:00", datetime(2026, 3, 14, 9, tzinfo=UTC)),
        ("America/New_York", "2026-07-01T09:00:00", datetime(2026, 7, 1, 13, tzinfo=UTC)),
        ("Asia/Tokyo", "2026-03-14T09:00:00Z", datetime(2026, 3, 14, 9, tzinfo=UTC)),
    ],
    ids=["a day", "a month", "a day in words", "a range", "a time in summer", "a time with its zone"],
)
def test_an_expiry_is_the_end_of_its_day_where_the_person_is(
    timezone: str, written: str, meant: datetime
) -> None:
    [operation] = check({**GOOD, "expires_at": written}, timezone=timezone)

    assert operation.op != "refused"
    assert operation.expires_at == meant
