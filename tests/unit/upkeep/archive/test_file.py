"""An archive is read row by row: what it takes is a small multiple of its bytes, whatever its rows are like."""

import json
import tracemalloc
from typing import Any

import pytest

from relationships.configuration.schema import configuration_model
from tests.unit.upkeep.archive.test_checks import a_turn
from upkeep.archive import file as archive_file
from upkeep.archive.checks import check_archive
from upkeep.archive.file import FIRST_LOOK, ArchiveFile
from web.errors import MOST_PROBLEMS, FieldProblem, InvalidInput, TooMuch
from web.problems import MalformedBody

START = '{"format": "rapport.relationship", "version": 1, '
DEPTH = 40


def file_of(rows: list[Any], name: str = "entries", *, space: str = "") -> ArchiveFile:
    listed = f"{space},{space}".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return ArchiveFile(f'{START}"{name}":{space}[{space}{listed}{space}]{space}}}'.encode(), depth=DEPTH)


@pytest.mark.parametrize("space", ["", " \r\n\t"], ids=["close", "spaced"])
@pytest.mark.parametrize("size", [1, 5, FIRST_LOOK - 45, FIRST_LOOK, 2 * FIRST_LOOK - 1])
def test_every_row_is_found_wherever_it_ends(size: int, space: str) -> None:
    """In letters of one byte to four, which the end of what is looked at may cut."""
    letters = ("x", "é", "好", "🦊", '"', "\\", "]")
    rows = [{**a_turn(1, seq=1), "error": letter * (size // 16), "error_code": "x"} for letter in letters]
    for row, letter in zip(rows, letters, strict=True):
        row["messages"][0]["content"] = letter * size

    found = file_of(rows, "turns", space=space)

    told = [row["messages"][0]["content"] for row in found.rows("turns")]
    assert told == [letter * size for letter in letters]
    assert list(found.rows("entries")) == []


DENSE = [b"[],", b"1,", b'"",', b'{"a":1},', b'"\\\\\\"",']
HEAD, TURN = (b'"user":{"a":[', b"0]}"), (b'"turns":[{"operations":[', b"0]}]")
ENTRY = (b'"entries":[{"a":"x","b":[', b"0]}]")


@pytest.mark.parametrize(
    ("values", "around"), [*((values, ENTRY) for values in DENSE), (DENSE[3], HEAD), (DENSE[3], TURN)]
)
def test_what_has_far_too_many_values_is_refused_before_they_are_made(
    values: bytes, around: tuple[bytes, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_file, "MOST_PARTS", archive_file.MOST_PARTS // 10)

    assert peak_of_refusing(values * 100_000, *around) < 10_000_000


def test_what_has_a_million_values_is_refused_before_they_are_made() -> None:
    assert peak_of_refusing(b'{"a":1},' * 1_000_000, b'"entries":[{"a":"x","b":[', b"0]}") < 100_000_000


def peak_of_refusing(values: bytes, before: bytes, after: bytes) -> int:
    raw = START.encode() + before + values + after + b"}"
    tracemalloc.start()
    try:
        with pytest.raises(TooMuch, match="has more than"):
            ArchiveFile(raw, depth=DEPTH)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_values_of_several_members_count_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_file, "MOST_PARTS", 30_000)
    few = f"[{'1,' * 20_000}1]"

    with pytest.raises(TooMuch, match="What is no list of rows has more than"):
        ArchiveFile(f'{START}"user":{few},"companion":{few}}}'.encode(), depth=DEPTH)


def test_a_thousand_unknown_names_are_refused_before_there_are_millions() -> None:
    names = ",".join(f'"n{number}":[]' for number in range(2000))

    with pytest.raises(TooMuch, match="What is no list of rows has more than"):
        ArchiveFile(f"{START}{names}}}".encode(), depth=DEPTH)


def test_a_long_text_full_of_commas_is_a_text() -> None:
    text = '[,\\"{' * 400_000
    found = file_of([{"type": "other", "content": text}] * 2)

    problems: list[FieldProblem] = []
    assert list(found.check_rows("entries", problems)) == []
    assert {problem.field for problem in problems} == {"entries.0.content", "entries.1.content"}


def test_what_is_wrong_with_a_row_is_told_and_the_others_are_read() -> None:
    good = {"type": "other", "content": "Likes tea"}
    problems: list[FieldProblem] = []

    found = list(file_of([good, {**good, "weight": "1"}, good]).check_rows("entries", problems))

    assert [place for place, _ in found] == [0, 2]
    assert [problem.field for problem in problems] == ["entries.1.weight"]


@pytest.mark.parametrize("cut", range(1, 95, 7))
def test_a_body_that_breaks_off_is_no_archive(cut: int) -> None:
    raw = f'{START}"user": {{"a": "é🦊"}}, "entries": [{{"type": "other"}}, 5], "turns": []}}'.encode()

    with pytest.raises(MalformedBody):
        ArchiveFile(raw[:-cut], depth=DEPTH)


@pytest.mark.parametrize("row", [1, {}, {"type": "a"}], ids=["numbers", "empty", "half"])
def test_rows_too_short_to_be_any_are_given_up_before_they_are_all_remembered(row: Any) -> None:
    raw = f'{START}"entries":[{",".join([json.dumps(row)] * 100_000)}]}}'.encode()

    tracemalloc.start()
    try:
        with pytest.raises(InvalidInput) as refused:
            ArchiveFile(raw, depth=DEPTH)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert refused.value.problems[0].field == f"entries.{MOST_PROBLEMS}"
    assert peak < len(raw), "what was found of them was kept"


def a_large_turn(number: int) -> dict[str, Any]:
    turn = a_turn(10 * number, seq=10 * number)
    turn["messages"][0]["content"] = "What a day that was. " * 20
    return turn


ROWS = {
    "turns": [a_large_turn(number) for number in range(1, 1000)],
    "entries": [{"type": "a", "content": str(number), "state": "deleted"} for number in range(6_000)],
    "active": [{"type": "a", "content": str(number)} for number in range(6_000)],
}


@pytest.mark.parametrize("kind", list(ROWS))
def test_looking_at_an_archive_takes_little_more_than_its_bytes(kind: str) -> None:
    name = "turns" if kind == "turns" else "entries"
    raw = f'{START}"{name}":{json.dumps(ROWS[kind], separators=(",", ":"))}}}'.encode()
    check_archive(
        file_of(ROWS[kind][:2], name), configuration=configuration_model()()
    )  # imports what it needs

    tracemalloc.start()
    try:
        archive = ArchiveFile(raw, depth=DEPTH)
        check_archive(archive, configuration=configuration_model()())
        written = sum(1 for _ in archive.rows(name))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert written == len(ROWS[kind])
    assert peak < 7 * len(raw), f"{peak / len(raw):.1f} times the {len(raw)} bytes of the archive"
