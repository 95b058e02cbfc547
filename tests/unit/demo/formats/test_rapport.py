from datetime import UTC, datetime
from typing import Any

import pytest

from demo.conversation import Source
from demo.formats import rapport
from web.errors import InvalidInput

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def turn(day: int = 0, time: str = "09:30", **more: Any) -> dict[str, Any]:
    return {"day": day, "time": time, "messages": [{"role": "user", "content": "Hi"}], **more}


def file_of(*turns: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "companion": {"name": "Ada", "slug": "ada", "core_prompt": "Be kind."},
        "user": {"external_id": "maya", "display_name": "Maya"},
        "timezone": "Europe/Lisbon",
        "turns": list(turns) or [turn()],
        **more,
    }


def test_days_are_counted_from_today_in_the_conversations_own_time_zone() -> None:
    told = rapport.parse(file_of(turn(-3, "23:30"), turn(0, "09:30")), Source("file", NOON))
    assert [turn.occurred_at for turn in told.turns] == [
        datetime(2026, 2, 27, 23, 30, tzinfo=UTC),
        datetime(2026, 3, 2, 9, 30, tzinfo=UTC),
    ]


def test_the_last_day_was_yesterday_when_its_last_turn_lies_ahead() -> None:
    told = rapport.parse(file_of(turn(-1, "08:00"), turn(0, "20:00")), Source("file", NOON))
    assert [turn.occurred_at.day for turn in told.turns] == [28, 1]


def test_the_language_is_read_if_given() -> None:
    ada = {"name": "Ada", "slug": "ada", "language": "english"}
    assert rapport.parse(file_of(companion=ada), Source("file", NOON)).companion.language == "english"
    assert rapport.parse(file_of(), Source("file", NOON)).companion.language == ""
    with pytest.raises(InvalidInput, match="language"):
        rapport.parse(file_of(companion={**ada, "language": "klingon"}), Source("file", NOON))


@pytest.mark.parametrize(
    ("broken", "field", "detail"),
    [
        (file_of(turns=[]), "turns", "at least 1"),
        (file_of(turn(time="half past nine")), "turns.0.time", "'half past nine' is no time such as 09:30"),
        (file_of(turn(day=1)), "turns.0.day", "less than or equal to 0"),
        (file_of(turn(messages=[])), "turns.0.messages", "at least 1"),
        (file_of(turn(messages=[{"role": "user", "content": ""}])), "turns.0.messages.0.content", "is empty"),
        (file_of(turn(messages=[{"role": "me", "content": "Hi"}])), "turns.0.messages.0.role", "'user'"),
        (file_of(turn(), turn(time="08:00")), "turns.1.time", "lies before the turn above it"),
        (file_of(timezone="Lisbon"), "timezone", "not an IANA time zone"),
        (file_of(user={"external_id": "maya"}), "user.display_name", "is required"),
        (file_of(companion={"name": "Ada", "slug": "A da"}), "companion.slug", "has to be 1 to 80 of"),
        (file_of(mood="good"), "mood", "is not a known field"),
    ],
    ids=lambda case: case if isinstance(case, str) else "",
)
def test_what_can_not_be_read_is_named(broken: dict[str, Any], field: str, detail: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        rapport.parse(broken, Source("file", NOON))
    assert [problem.field for problem in refused.value.problems] == [field]
    assert detail in refused.value.problems[0].detail


@pytest.mark.parametrize(
    ("messages", "field"),
    [
        ([{"role": "user", "content": "x" * 70_000}], "turns.1.messages.0.content"),
        ([{"role": "user", "content": "Hi"}] * 51, "turns.1.messages"),
    ],
    ids=["too long", "too many"],
)
def test_a_turn_is_held_to_the_limits_of_the_api(messages: list[dict[str, str]], field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        rapport.parse(file_of(turn(-1), turn(messages=messages)), Source("file", NOON))

    assert [problem.field for problem in refused.value.problems] == [field]
