import json
from typing import Any

import pytest
from pydantic import ValidationError

from memory.api.search import EntrySearchBody
from relationships.configuration.schema import configuration_model
from upkeep.archive.document import Archive
from web.errors import MOST_PROBLEMS
from web.field_problems import MOST_ERRORS, listed_errors
from web.fields import FailFastModel


class Inner(FailFastModel):
    a: int
    b: int


class Outer(FailFastModel):
    one: int
    rows: list[Inner] = []
    pairs: tuple[int, ...] | None = None
    names: dict[str, int] = {}


def errors_of(model: type[FailFastModel], raw: str) -> ValidationError:
    with pytest.raises(ValidationError) as refused:
        model.model_validate_json(raw)
    return refused.value


def test_of_each_list_the_first_wrong_member_is_named_and_of_the_fields_all() -> None:
    error = errors_of(
        Outer,
        '{"one": [], "rows": [{"a": 1, "b": 2}, {}, {}], "pairs": ["x", "y"], "names": {"a": [], "b": []}}',
    )

    places = [line["loc"] for line in error.errors()]
    assert places == [("one",), ("rows", 1, "a"), ("rows", 1, "b"), ("pairs", 0), ("names", "a")]


@pytest.mark.parametrize(
    ("model", "raw"),
    [
        (Archive, json.dumps({"turns": [{}] * 5000})),
        (Archive, json.dumps({"entries": [1] * 5000})),
        (EntrySearchBody, json.dumps({"types": [1] * 5000})),
        (configuration_model(), json.dumps({"ingestion": {"importance": {"floors": [{}] * 5000}}})),
    ],
    ids=["turns", "entries", "types", "floors"],
)
def test_thousands_of_wrong_members_are_few_errors(model: type[Any], raw: str) -> None:
    assert errors_of(model, raw).error_count() <= MOST_PROBLEMS


def test_thousands_of_unknown_fields_are_one_sentence() -> None:
    raw = '{"one": 1}'
    known = errors_of(Archive, raw)
    wide = errors_of(Archive, "{" + ",".join(f'"a{number}": 1' for number in range(MOST_ERRORS + 1)) + "}")

    assert len(listed_errors(known)) == known.error_count()
    [line] = listed_errors(wide)
    assert line["loc"] == () and f"{wide.error_count()} mistakes" in line["msg"]
