import json
from datetime import UTC, datetime
from typing import Annotated

import pytest
from pydantic import BaseModel, Field, ValidationError

from web.field_problems import field_problems
from web.fields import Body, Name, Query, Timestamp, TimeZone, left_out


class Inner(Body):
    name: str


class Outer(Body):
    at: Timestamp | None = None
    who: str | Inner = ""
    zone: TimeZone = "UTC"
    inner: list[Inner] = []
    note: str = left_out()


class Base(Body):
    kept: str = ""
    """Said in the base class,
    in two lines.
    """
    changed: str = ""
    """No longer so."""
    silent: str = ""
    """Not said again."""


class Derived(Base):
    own: list[Inner] = []
    """Of this class."""
    changed: str = "x"
    """Said anew."""
    silent: str = "x"
    plain: str = ""


class Held(Body):
    rows: Annotated[tuple[Inner, ...], Field(min_length=1)]


class Named(Body):
    name: Name


class Asked(Query):
    since: Timestamp | None = None


def wrong_fields(model: type[BaseModel], raw: str, data: object) -> list[str]:
    with pytest.raises(ValidationError) as caught:
        model.model_validate_json(raw)
    return [problem.field for problem in field_problems(caught.value, data)]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2026-03-02T09:00:00Z", datetime(2026, 3, 2, 9, tzinfo=UTC)),
        ("2026-03-02T09:00:00.25+01:00", datetime(2026, 3, 2, 8, 0, 0, 250_000, tzinfo=UTC)),
        ("2026-03-02t23:30:00-02:00", datetime(2026, 3, 3, 1, 30, tzinfo=UTC)),
    ],
)
def test_a_time_is_taken_to_utc(written: str, meant: datetime) -> None:
    at = Outer.model_validate_json(f'{{"at": "{written}"}}').at

    assert at == meant
    assert at is not None
    assert at.tzinfo is UTC
    assert Asked.model_validate({"since": written}).since == meant


@pytest.mark.parametrize(
    "written",
    [
        "2026-03-02T09:00:00",
        "2026-03-02",
        "1700000000",
        1700000000,
        "yesterday",
        "",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-14:00",
        "0000-01-01T00:00:00Z",
        "2026-02-30T00:00:00Z",
        "2026-03-02T25:00:00Z",
    ],
)
def test_a_time_without_a_zone_or_out_of_range_is_refused(written: str | int) -> None:
    assert wrong_fields(Outer, json.dumps({"at": written}), {"at": written}) == ["at"]


def test_a_union_names_the_field_and_not_its_members() -> None:
    assert wrong_fields(Outer, '{"who": {"name": 1}}', {"who": {"name": 1}}) == ["who.name"]
    assert wrong_fields(Outer, '{"who": {}}', {"who": {}}) == ["who.name"]
    assert wrong_fields(Outer, '{"who": 1}', {"who": 1}) == ["who"]


def test_a_place_in_a_list_is_its_number() -> None:
    data = {"inner": [{"name": "a"}, {"name": "b", "x": 1}]}

    assert wrong_fields(Outer, '{"inner": [{"name": "a"}, {"name": "b", "x": 1}]}', data) == ["inner.1.x"]


def test_a_list_with_a_wrong_member_is_not_said_to_lack_one() -> None:
    assert wrong_fields(Held, '{"rows": [{"name": 1}]}', {"rows": [{"name": 1}]}) == ["rows.0.name"]


def test_a_list_that_is_too_short_is_called_a_list() -> None:
    with pytest.raises(ValidationError) as caught:
        Held.model_validate_json('{"rows": []}')

    (problem,) = field_problems(caught.value, {"rows": []})
    assert (problem.field, problem.detail) == ("rows", "list should have at least 1 item, not 0")


def test_what_is_left_out_does_not_count_as_a_change() -> None:
    assert Outer.model_validate_json('{"zone": "Asia/Tokyo"}').model_dump(exclude_unset=True) == {
        "zone": "Asia/Tokyo"
    }
    assert "default" not in Outer.model_json_schema()["properties"]["note"]


def test_a_docstring_below_a_field_is_its_description() -> None:
    fields = Derived.model_json_schema()["properties"]
    assert {name: field["description"] for name, field in fields.items() if "description" in field} == {
        "kept": "Said in the base class,\nin two lines.",
        "changed": "Said anew.",
        "own": "Of this class.",
    }


@pytest.mark.parametrize("zone", ["UTC", "Europe/Lisbon", "America/Argentina/Buenos_Aires", "Etc/GMT+3"])
def test_iana_zones_are_known(zone: str) -> None:
    assert Outer.model_validate({"zone": zone}).zone == zone


@pytest.mark.parametrize(
    "zone",
    [
        "Mars/Base",
        "localtime",
        "posixrules",
        "posix/UTC",
        "right/UTC",
        "../UTC",
        "/etc/passwd",
        "UTC\n",
        "utc ",
    ],
)
def test_what_is_only_a_file_of_this_system_or_none_is_no_zone(zone: str) -> None:
    with pytest.raises(ValidationError, match="is not an IANA time zone"):
        Outer.model_validate({"zone": zone})


@pytest.mark.parametrize("name", ["", "  ", "\u2003", "a\x00", "a\n", "x" * 201])
def test_a_name_says_something_in_one_line(name: str) -> None:
    with pytest.raises(ValidationError):
        Named.model_validate({"name": name})
