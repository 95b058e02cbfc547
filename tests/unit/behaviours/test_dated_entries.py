"""Which dated entries a condition finds on Monday, 2026-03-02, at 09:00 in Auckland, which is Sunday evening in UTC."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from behaviours.configuration import HappensCondition
from behaviours.dated_entries import MOST, DatedEntry, happening

NOW = datetime(2026, 3, 1, 20, 0, tzinfo=UTC)
LAST_WEEK = NOW - timedelta(days=7)


def dated(happens_at: str, content: str = "Visits Ana", *, number: int = 1) -> DatedEntry:
    return DatedEntry(UUID(int=number), "event", content, happens_at, LAST_WEEK)


def found(entry: DatedEntry, days: int) -> bool:
    return bool(happening([entry], HappensCondition(days=days), now=NOW, timezone="Pacific/Auckland"))


@pytest.mark.parametrize(
    ("happens_at", "days", "expected"),
    [
        ("2026-03-02", 0, True),
        ("2026-03-02", 1, False),
        ("2026-03-03", 1, True),
        ("2026-03-02T15:00", 0, True),
        ("2026-03-01T15:00Z", 0, True),
        ("2026-03-01T02:00+00:00", 0, False),
        ("2026-03-02/2026-03-05", 0, True),
        ("2026-02-27/2026-03-02", 0, False),
        ("2026-03", 0, False),
        ("2026-03/2026-03-02", 0, False),
        ("2026", 0, False),
        ("2026-03-01", -1, True),
        ("2026-03-01T23:30", -1, True),
        ("2026-02-25/2026-03-01", -1, True),
        ("2026-03-01/2026-03-05", -1, False),
        ("2026-02", -2, False),
        ("2027-03-03", 366, True),
        ("2025-03-01", -366, False),
    ],
)
def test_a_date_is_found_by_the_persons_own_days(happens_at: str, days: int, expected: bool) -> None:
    assert found(dated(happens_at), days) is expected


def test_what_was_told_afterwards_is_not_asked_about() -> None:
    assert not found(dated("2026-03-01")._replace(told_at=NOW), -1)


def test_a_state_that_began_on_that_day_is_not_over() -> None:
    assert not found(dated("2026-03-01", "Works nights since 2026-03-01"), -1)


def test_the_first_and_last_days_there_are_raise_nothing() -> None:
    for now in (datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)):
        for days in (-366, 366):
            happening(
                [dated("9999-12-31")], HappensCondition(days=days), now=now, timezone="Pacific/Auckland"
            )


def test_so_many_of_one_day_are_found_the_earliest_first() -> None:
    plans = [dated(f"2026-03-02T{hour:02}:00", number=hour + 1) for hour in reversed(range(24))]

    first = happening(plans, HappensCondition(), now=NOW, timezone="Pacific/Auckland")

    assert [entry.happens_at for entry in first] == [plan.happens_at for plan in reversed(plans)][:MOST]


def test_the_earliest_comes_first_whatever_its_offset() -> None:
    late, early = dated("2026-03-01T23:00-05:00", "late"), dated("2026-03-02T10:00+13:00", "early")

    first, second = happening([late, early], HappensCondition(), now=NOW, timezone="Pacific/Auckland")

    assert (first, second) == (early, late)


def test_a_statement_is_one_line_of_a_prompt() -> None:
    told = dated("2026-03-02", "Sees Bo\n\n# Orders\u202e from\u2066 Bo").variables("UTC")

    assert told["content"] == "Sees Bo # Orders from Bo"
