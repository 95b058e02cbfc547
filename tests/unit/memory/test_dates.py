from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.dates import MONTHS, MOST_PERIODS, Period, dates_in, periods
from tests.growth import MOST, growth


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What happened on 2023-05-07?", [Period(2023, 5, 7)]),
        ("And in 2023-05?", [Period(2023, 5)]),
        ("on 7 May 2023", [Period(2023, 5, 7)]),
        ("on the 7th of May, 2023", [Period(2023, 5, 7)]),
        ("on June 3rd", [Period(None, 6, 3)]),
        ("June 3, 2023", [Period(2023, 6, 3)]),
        ("in May 2023", [Period(2023, 5)]),
        ("in May", [Period(None, 5)]),
        ("since last March", [Period(None, 3)]),
        ("in Sept. 2022 and in October", [Period(2022, 9), Period(None, 10)]),
        ("all of 2022", [Period(2022)]),
        ("in May 2023, not 2022", [Period(2023, 5)]),
        ("I may march on", []),
        ("May I?", []),
        ("the year 3023, or 1823", []),
        ("room 20230, version 2023x", []),
        ("2023-13-01", []),
        ("decembers", []),
        ("", []),
    ],
)
def test_dates_are_read_from_a_question(text: str, expected: list[Period]) -> None:
    assert list(periods(text)) == expected


def test_a_date_named_twice_counts_once_and_a_list_of_dates_is_cut() -> None:
    assert periods("in May 2023, May 2023") == (Period(2023, 5),)
    days = ", ".join(f"2023-05-{day:02}" for day in range(1, 30))
    assert len(periods(days)) == MOST_PERIODS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Was war am 3. März 2023?", Period(2023, 3, 3)),
        ("am 3. MAERZ", Period(None, 3, 3)),
        ("le 14 août", Period(None, 8, 14)),
        ("el 2 de enero de 2024", Period(2024, 1, 2)),
        ("a settembre 2023", Period(2023, 9)),
        ("em fevereiro", Period(None, 2)),
        ("op 5 december", Period(None, 12, 5)),
        ("Что было 14 марта 2026?", Period(2026, 3, 14)),
        ("Ekim ayında ne oldu?", Period(None, 10)),
        ("ماذا فعلنا في أكتوبر ٢٠٢٦؟", Period(2026, 10)),
        ("في ١٠ اكتوبر", Period(None, 10, 10)),
        ("जनवरी में क्या हुआ?", Period(None, 1)),
        ("２０２６年１０月２４日は？", Period(2026, 10, 24)),
        ("9月に何をした？", Period(None, 9)),
        ("十一月去了哪里？", Period(None, 11)),
        ("10월 24일에", Period(None, 10, 24)),
        ("2026年に何をした？", Period(2026)),
        ("二〇二六年に何をした？", Period(2026)),
        ("三月三日の話", Period(None, 3, 3)),
        ("十二月二十五日は？", Period(None, 12, 25)),
        ("2026/3/14に何をした？", Period(2026, 3, 14)),
        ("Was war am 03.12.2026?", Period(2026, 12, 3)),
        ("Was war am 3.12.?", Period(None, 12, 3)),
        ("en la reunión del 14. 3. 2026", Period(2026, 3, 14)),
    ],
)
def test_months_are_read_in_any_of_many_languages_whichever_the_conversation_is_in(
    text: str, expected: Period
) -> None:
    assert periods(text) == (expected,)


@pytest.mark.parametrize(
    "text",
    [
        "What did Jan say?",
        "And Marco?",
        "先月は？",
        "三个月前",
        "月曜日は？",
        "45月",
        "أب",
        "version 3.12.1",
        "costs 3.12. Or more?",
        "am 3.13.",
        "3/4 cup",
    ],
)
def test_names_weekdays_and_spans_are_no_months(text: str) -> None:
    assert periods(text) == ()


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (date(2023, 4, 29), 0.0),
        (date(2023, 4, 30), 1.0),
        (date(2023, 5, 1), 1.0),
        (date(2023, 6, 3), 1.0),
        (date(2023, 6, 4), 0.5),
        (date(2023, 6, 14), 0.5),
        (date(2023, 6, 15), 0.0),
        (date(2024, 5, 10), 0.0),
    ],
)
def test_people_tell_of_a_month_in_it_or_soon_after(told: date, expected: float) -> None:
    assert Period(2023, 5).nearness(told) == expected


def test_without_a_year_any_years_month_will_do_and_a_bare_year_says_half_as_much() -> None:
    assert Period(None, 5).nearness(date(2019, 5, 10)) == 1.0
    assert Period(None, 12, 31).nearness(date(2020, 1, 2)) == 1.0
    assert Period(None, 1, 1).nearness(date(2019, 12, 31)) == 1.0
    assert Period(2023).nearness(date(2023, 8, 1)) == 0.5
    assert Period(2023).nearness(date(2022, 8, 1)) == 0.0


def test_a_day_that_does_not_exist_is_near_to_nothing() -> None:
    assert Period(2023, 2, 30).nearness(date(2023, 2, 28)) == 0.0
    assert Period(None, 2, 29).nearness(date(2024, 3, 1)) == 1.0


@given(
    st.none() | st.integers(1900, 2099),
    st.none() | st.integers(1, 12),
    st.none() | st.integers(0, 99),
    st.dates(),
)
def test_any_date_can_be_asked_for_and_told_at(
    year: int | None, month: int | None, day: int | None, told: date
) -> None:
    assert Period(year, month, day).nearness(told) in (0.0, 0.25, 0.5, 1.0)


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    assert len(periods(text)) <= MOST_PERIODS


@pytest.mark.parametrize(("repeated", "size"), [("3月", 100_000), ("\u0301\u0323", 12_000)])
def test_a_text_is_read_in_time_that_grows_with_it(repeated: str, size: int) -> None:
    assert growth(dates_in, lambda many: repeated * (many // len(repeated)), size=size) < MOST


def test_every_name_is_of_one_month() -> None:
    assert set(MONTHS.values()) == set(range(1, 13))
    assert len(MONTHS) > 12 * 10


@pytest.mark.parametrize(
    "text",
    [
        "As of September 2023, how many dogs does he have?",
        "How many dogs does he have as of September?",
        "What did they plan until 2023-09?",
        "Wie viele Hunde hatte er bis Ende September 2023?",
        "How many dogs, as of 2023?",
    ],
)
def test_a_month_or_year_up_to_which_is_asked_is_not_when_it_was_told(text: str) -> None:
    assert periods(text) == ()


def test_another_date_of_the_same_question_counts_and_so_does_a_day() -> None:
    named = periods("As of September 2023, what came of the trip in May 2022?")
    assert named == (Period(2022, 5),)
    assert periods("How many dogs as of 2 September 2023?") == (Period(2023, 9, 2),)
    assert periods("How many dogs as of 2023-09-02?") == (Period(2023, 9, 2),)
