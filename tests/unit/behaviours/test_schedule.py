from datetime import UTC, datetime

import pytest

from behaviours.schedule import is_time, known_schedule, next_time


@pytest.mark.parametrize(
    ("expression", "zone", "expected"),
    [
        ("0 9 * * *", "UTC", datetime(2026, 3, 28, 9, 0, tzinfo=UTC)),
        ("0 9 * * *", "Europe/Lisbon", datetime(2026, 3, 28, 9, 0, tzinfo=UTC)),
        ("0 9 * * 0", "Europe/Lisbon", datetime(2026, 3, 29, 8, 0, tzinfo=UTC)),  # the clock has changed
        ("30 1 * * 0", "Europe/Lisbon", datetime(2026, 3, 29, 1, 0, tzinfo=UTC)),  # a time that is not there
        ("0 9 * * *", "Asia/Tokyo", datetime(2026, 3, 28, 0, 0, tzinfo=UTC)),
    ],
)
def test_the_next_time_is_in_the_persons_own_zone(expression: str, zone: str, expected: datetime) -> None:
    assert next_time(expression, datetime(2026, 3, 27, 12, 0, tzinfo=UTC), zone) == expected


def test_a_moment_is_a_time_for_its_whole_minute() -> None:
    nine = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    assert is_time("0 9 * * *", nine, "UTC")
    assert is_time("0 9 * * *", nine.replace(second=59), "UTC")
    assert not is_time("0 9 * * *", nine.replace(minute=1), "UTC")
    assert is_time("0 10 * * *", nine, "Europe/Madrid")


@pytest.mark.parametrize("expression", ["* * * * * *", "@hourly", "* * * *", "0 0 30 2 *", ""])
def test_a_schedule_has_five_fields_and_comes(expression: str) -> None:
    with pytest.raises(ValueError, match="five fields"):
        known_schedule(expression)
