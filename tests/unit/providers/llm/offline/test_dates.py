from datetime import date

import pytest

from providers.llm.offline.dates import absolute, find_dates

THURSDAY = date(2026, 11, 26)


@pytest.mark.parametrize(
    ("said", "kept", "day"),
    [
        ("tomorrow", "on 27 November 2026", date(2026, 11, 27)),
        ("the day after tomorrow", "on 28 November 2026", date(2026, 11, 28)),
        ("tomorrow morning at 10", "on 27 November 2026 in the morning at 10", date(2026, 11, 27)),
        ("next Friday", "on 4 December 2026", date(2026, 12, 4)),
        ("this Friday", "on 27 November 2026", date(2026, 11, 27)),
        ("in two weeks", "around 10 December 2026", date(2026, 12, 10)),
        ("in three days", "on 29 November 2026", date(2026, 11, 29)),
        ("in a year's time", "in 2027", None),
        ("on the 3rd", "on 3 December 2026", date(2026, 12, 3)),
        ("March 14", "on 14 March 2027", date(2027, 3, 14)),
        ("the 15th of March", "on 15 March 2027", date(2027, 3, 15)),
        ("2027-01-11", "on 11 January 2027", date(2027, 1, 11)),
        ("next month", "in December 2026", None),
        ("next week", "in the week of 30 November 2026", None),
        ("by the end of next year", "by the end of 2027", None),
        ("until March", "until March 2027", None),
        ("next spring", "in spring 2027", None),
    ],
)
def test_a_date_to_come_is_made_absolute(said: str, kept: str, day: date | None) -> None:
    text, phrases = absolute(said, today=THURSDAY, past=False)
    assert (text, phrases[0].day) == (kept, day)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("yesterday", "on 25 November 2026"),
        ("last night", "on 25 November 2026"),
        ("last Tues", "on 24 November 2026"),
        ("on Saturday", "on 21 November 2026"),
        ("last weekend", "on the weekend of 21 November 2026"),
        ("three weeks ago", "around 5 November 2026"),
        ("two months ago", "in September 2026"),
        ("five years ago", "in 2021"),
        ("in September", "in September 2026"),
        ("last summer", "in summer 2026"),
        ("since 2015", "since 2015"),
    ],
)
def test_a_date_gone_by_is_made_absolute(said: str, kept: str) -> None:
    assert absolute(said, today=THURSDAY, past=True)[0] == kept


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("return the sofa I bought in March", "return the sofa I bought in March 2026"),
        ("the lamp that arrived on Monday is broken", "the lamp that arrived on 23 November 2026 is broken"),
        ("a room we booked for March", "a room we booked for March 2027"),
        ("a room we need in March", "a room we need in March 2027"),
    ],
)
def test_a_date_after_a_verb_of_the_past_is_gone_by(said: str, kept: str) -> None:
    assert absolute(said, today=THURSDAY, past=False)[0] == kept


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I moved the call to Friday", "I moved the call to 27 November 2026"),
        ("I moved it from Monday to Friday", "I moved it from 23 November 2026 to 27 November 2026"),
        ("I was away from 3 May to 7 May", "I was away from 3 May 2026 to 7 May 2026"),
        ("I was away from May to June", "I was away from May 2026 to June 2026"),
    ],
)
def test_something_was_moved_to_a_day_to_come_and_lasted_to_one_gone_by(said: str, kept: str) -> None:
    assert absolute(said, today=THURSDAY, past=True)[0] == kept


@pytest.mark.parametrize(
    "said",
    [
        "every Tuesday",
        "next to the church",
        "I may go",
        "on 31 February",
        "the 2nd place",
        "Monday's train",
        "the 3rd floor",
    ],
)
def test_what_only_looks_like_a_date_stays(said: str) -> None:
    assert find_dates(said, today=THURSDAY, past=False) == []


@pytest.mark.parametrize(
    ("said", "happens_at"),
    [
        ("on 3 December", "2026-12-03"),
        ("next month", "2026-12"),
        ("in May 2027", "2027-05"),
        ("for May 2027", "2027-05"),
        ("by May 2027", ""),
        ("next week", ""),
        ("next year", ""),
    ],
)
def test_a_thing_happens_on_the_day_or_in_the_month_that_was_said(said: str, happens_at: str) -> None:
    (found,) = find_dates(said, today=THURSDAY, past=False)
    (long_ago,) = find_dates("next month", today=date(200, 1, 31), past=False)

    assert (found.happens_at, long_ago.happens_at) == (happens_at, "0200-02")
