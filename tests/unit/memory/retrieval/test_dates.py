from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.retrieval.dates import MOST_PERIODS, Period, months_of, periods

ENGLISH = months_of(["english"])


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
    assert list(periods(text, ENGLISH)) == expected


def test_a_date_named_twice_counts_once_and_a_list_of_dates_is_cut() -> None:
    assert periods("in May 2023, May 2023", ENGLISH) == (Period(2023, 5),)
    days = ", ".join(f"2023-05-{day:02}" for day in range(1, 30))
    assert len(periods(days, ENGLISH)) == MOST_PERIODS


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("german", "Was war am 3. März 2023?", Period(2023, 3, 3)),
        ("french", "le 14 août", Period(None, 8, 14)),
        ("spanish", "el 2 de enero de 2024", Period(2024, 1, 2)),
        ("italian", "a settembre 2023", Period(2023, 9)),
        ("portuguese", "em fevereiro", Period(None, 2)),
        ("dutch", "op 5 december", Period(None, 12, 5)),
        ("finnish", "in June", Period(None, 6)),
    ],
)
def test_months_are_read_in_the_companions_language(language: str, text: str, expected: Period) -> None:
    assert periods(text, months_of([language])) == (expected,)


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
    assert len(periods(text, ENGLISH)) <= MOST_PERIODS


@pytest.mark.parametrize(
    "language", ["english", "german", "french", "spanish", "italian", "portuguese", "dutch"]
)
def test_every_language_names_twelve_months_in_order(language: str) -> None:
    months = months_of([language])
    assert set(months.values()) == set(range(1, 13))
    assert list(dict.fromkeys(months.values()))[:12] == list(range(1, 13))


def test_an_unknown_language_is_read_as_english() -> None:
    assert months_of([""]) == months_of(["english"]) == months_of([])


def test_of_two_languages_the_first_keeps_a_name_they_share() -> None:
    both = months_of(["german", "english"])
    assert (both["märz"], both["march"], both["april"]) == (3, 3, 4)


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
    assert periods(text, months_of(["english", "german"])) == ()


def test_another_date_of_the_same_question_counts_and_so_does_a_day() -> None:
    named = periods("As of September 2023, what came of the trip in May 2022?", months_of(["english"]))
    assert named == (Period(2022, 5),)
    assert periods("How many dogs as of 2 September 2023?", months_of(["english"])) == (Period(2023, 9, 2),)
    assert periods("How many dogs as of 2023-09-02?", months_of(["english"])) == (Period(2023, 9, 2),)
