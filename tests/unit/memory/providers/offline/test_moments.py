from datetime import date

import pytest

from memory.providers.offline.moments import in_words, resolve


def test_a_day_is_kept_in_words() -> None:
    assert in_words(date(2026, 11, 3)) == "3 November 2026"


@pytest.mark.parametrize(
    ("today", "past", "day"),
    [
        (date(2026, 11, 26), False, date(2026, 11, 30)),  # a Thursday
        (date(2026, 11, 26), True, date(2026, 11, 23)),
        (date(2026, 11, 30), False, date(2026, 12, 7)),  # a Monday: it is not today that is meant
        (date(2026, 11, 30), True, date(2026, 11, 23)),
    ],
)
def test_a_weekday_is_the_nearest_in_the_direction_of_the_tense(today: date, past: bool, day: date) -> None:
    moment = resolve({"weekday": "Monday"}, today=today, past=past)
    assert moment is not None
    assert moment.day == day


@pytest.mark.parametrize("today", [date(2026, 1, 31), date(2026, 12, 31)])
def test_a_month_ahead_never_fails_at_the_end_of_one(today: date) -> None:
    moment = resolve({"which": "next", "unit": "month"}, today=today, past=False)
    assert moment is not None
    assert moment.text in ("February 2026", "January 2027")


@pytest.mark.parametrize(
    "groups",
    [
        {"day1": "31", "month1": "february", "year1": ""},
        {"iso": "2026-13-40"},
        {"in_count": "999", "in_unit": "year"},
        {"month3": "may", "year3": "", "prep": ""},
        {},
    ],
)
def test_what_is_no_date_gives_none(groups: dict[str, str]) -> None:
    assert resolve(groups, today=date(9998, 12, 31), past=False) is None
