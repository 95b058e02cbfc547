import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.entries.happens import (
    day_of,
    happens_text,
    moved_to,
    plan_is_over,
    says_when,
    span_of,
    told_as,
)

DAYS = st.dates().map(lambda day: day.isoformat())
FORMS = (
    st.integers(1, 9999).map("{:04}".format)
    | DAYS
    | DAYS.map(lambda day: day[:7])
    | st.datetimes().map(lambda at: at.isoformat())
    | st.datetimes(timezones=st.timezones()).map(lambda at: at.isoformat())
)
ZONES = st.sampled_from(["UTC", "Pacific/Kiritimati", "America/St_Johns", "Nowhere/Atlantis"])


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("2023", "2023"),
        (" 2023-03 ", "2023-03"),
        ("2023-03-01", "2023-03-01"),
        ("20230301", "2023-03-01"),
        ("2023-03-01/2023-03-07", "2023-03-01/2023-03-07"),
        ("2023-03 / 2023-04", "2023-03/2023-04"),
        ("2023/2023", "2023"),
        ("2023-03-01T15:00:00Z", "2023-03-01T15:00+00:00"),
        ("2023-03-01T15:00", "2023-03-01T15:00"),
    ],
)
def test_a_date_is_kept_as_exactly_as_it_was_said(said: str, kept: str) -> None:
    assert happens_text(said) == kept == happens_text(kept)


@pytest.mark.parametrize(
    "said",
    [
        "",
        "soon",
        "March",
        "2023-13",
        "2023-02-30",
        "2024/2023",
        "2023/2024/2025",
        "0000",
        "２０２３",
        "1" * 90,
    ],
)
def test_what_is_no_date_is_refused_in_words(said: str) -> None:
    with pytest.raises(ValueError, match=r"is not a year|is no date|ends before"):
        happens_text(said)


@pytest.mark.parametrize(
    ("text", "begins", "ends"),
    [
        ("2023", (2022, 12, 31, 15), (2023, 12, 31, 15)),
        ("2023-12", (2023, 11, 30, 15), (2023, 12, 31, 15)),
        ("2023-03-01", (2023, 2, 28, 15), (2023, 3, 1, 15)),
        ("2023-03-01/2023-03-07", (2023, 2, 28, 15), (2023, 3, 7, 15)),
        ("2023-03-01T09:00", (2023, 3, 1, 0), (2023, 3, 1, 0, 1)),
        ("2023-03-01T09:00+00:00", (2023, 3, 1, 9), (2023, 3, 1, 9, 1)),
    ],
)
def test_it_spans_the_persons_own_days(text: str, begins: tuple[int, ...], ends: tuple[int, ...]) -> None:
    assert span_of(text, "Asia/Tokyo") == (
        datetime(*begins, tzinfo=UTC),  # type: ignore[arg-type, misc]
        datetime(*ends, tzinfo=UTC),  # type: ignore[arg-type, misc]
    )


@given(FORMS, ZONES)
def test_whatever_is_kept_can_be_told_and_spans_some_time(said: str, timezone: str) -> None:
    kept = happens_text(said)

    begins, ends = span_of(kept, timezone)

    assert happens_text(kept) == kept
    assert begins <= ends and begins.tzinfo is not None
    assert told_as(kept, timezone)[:4].isdigit()


@given(st.text(max_size=30))
def test_any_text_is_kept_or_refused(said: str) -> None:
    try:
        assert happens_text(happens_text(said)) == happens_text(said)
    except ValueError as error:
        assert str(error)


MARCH = datetime(2026, 3, 10, 12, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("text", "told_at", "now", "over"),
    [
        ("2026-03-14", MARCH, MARCH + 6 * DAY, True),
        ("2026-03-14", MARCH, MARCH + 3 * DAY, False),
        ("2026-03-14", MARCH + 5 * DAY, MARCH + 60 * DAY, False),
        ("2026-03-14", MARCH + 4 * DAY, MARCH + 60 * DAY, False),
        ("2026-04", MARCH, MARCH + 40 * DAY, False),
        ("2026-04", MARCH, MARCH + 60 * DAY, True),
        ("2026", MARCH, MARCH + 600 * DAY, False),
    ],
    ids=["over", "ahead", "told afterwards", "told on the day", "amid it", "after it", "told amid it"],
)
def test_a_plan_is_over_when_it_was_told_before_it_began_and_all_of_it_has_passed(
    text: str, told_at: datetime, now: datetime, over: bool
) -> None:
    assert plan_is_over(text, said="A trip", told_at=told_at, now=now, timezone="UTC") is over


@pytest.mark.parametrize(
    ("text", "said", "over"),
    [
        ("2026-03-14", "Works nights since 2026-03-14, before that days", False),
        ("2026-03", "Class at 18:30 since 2026-03-14", False),
        ("2026-03-14T18:00", "Takes 500 mg as of 14 March 2026", False),
        ("2026-03-14", "Trainiert ab dem 2026-03-14 dienstags", False),
        ("2026-03-14", "Prend 500 mg depuis le 2026-03-14", False),
        ("2026-03-14", "2026-03-14から夜勤", False),
        ("2026-03-14", "Works nights since Saturday, March 14, 2026", False),
        ("2026-03-14", "Arbeitet seit Samstag, dem 14. März 2026 nachts", False),
        ("2026-03-14", "Arbeitet ab 14.3. nachts", False),
        ("2026-03-14", "Trabaja de noche desde el sábado 14 de marzo", False),
        ("2026-03-14", "يعمل ليلا منذ يوم السبت ١٤ مارس ٢٠٢٦", False),
        ("2026-03-14", "2026年3月14日（土）から夜勤", False),
        ("2026-03", "三月から夜勤", False),
        ("2026-03-14", "2026年3月14日に面接", True),
        ("2026-03-14", "Trabaja desde 2025; entrevista el 14 de marzo de 2026", True),
        ("2026-03-14", "A pilot with three branches from 2026-03-14, 4,500 a month", False),
        ("2026-03-14", "Away from 2026-03-14 to the weekend", True),
        ("2026-03-14T09:00", "Works from 2026-03-14 09:00 until noon", True),
        ("2026-03-14", "Works nights since 2026-02-01; interview on 2026-03-14", True),
        ("2026-03-14/2026-03-16", "Away since 2026-03-14 until 2026-03-16", True),
    ],
)
def test_what_goes_on_from_a_day_on_is_no_plan(text: str, said: str, over: bool) -> None:
    told_at = MARCH - 10 * DAY
    assert plan_is_over(text, said=said, told_at=told_at, now=MARCH + 60 * DAY, timezone="UTC") is over


@pytest.mark.parametrize(
    ("text", "said", "says"),
    [
        ("2026-03-14", "War am 14. März 2026 beim Arzt", True),
        ("2026-03-14T07:30", "Operation am 14.03.2026 um 7:30 Uhr", True),
        ("2026-03-14T07:30", "Operation am 14. März 2026 in der Früh", False),
        ("2026-03", "Se casa en marzo de 2026", True),
        ("2026-03-14", "２０２６年３月１４日に手術", True),
        ("2026-03-14", "الجراحة في ١٤ مارس ٢٠٢٦", True),
        ("2026-03-14", "Operation am 14. März", False),
        ("2026-03-14/2026-03-16", "In Rom am 14. März 2026", False),
        ("2027", "2027年に小学校に入る", True),
    ],
)
def test_a_statement_says_when_it_happens_in_its_own_language(text: str, said: str, says: bool) -> None:
    assert says_when(said, text, "UTC") is says


@pytest.mark.parametrize(
    ("text", "old", "new", "moved"),
    [
        ("2026-10-20", "Trip on 20 October", "Trip on 27 October, before that on 20 October", "2026-10-27"),
        ("2026-09-10", "2026年9月10日から出張", "2026年9月17日から出張(以前は9月10日)", "2026-09-17"),
        ("2026-12-28", "Party on 28 December 2026", "Party on 3 January, not 28 December", "2027-01-03"),
        (
            "2026-10-20/2026-10-26",
            "A week from 2026-10-20",
            "A week from 2026-10-27",
            "2026-10-27/2026-11-02",
        ),
        ("2026-10-20/2026-10-26", "20 October, a week", "18 October until 26 October", None),
        ("2026-10-20/2026-10-26", "20 October to 26", "From 20 October", None),
        ("9998-12-01/9999-12-31", "From 1 December", "From 9 December", "9998-12-09/9999-12-31"),
        ("2026-02-28", "28 February", "30 February", None),
        ("2026-12", "2026年12月に引っ越す", "2026年12月6日に引っ越す", "2026-12-06"),
        ("2026-12", "Moves in December", "Moves on 6 December, was in October", "2026-12-06"),
        ("2026-12", "Moves in December 2026", "Moves in December 2026, sees it on 6 December 2026", None),
        ("2026-12", "Moves in December", "Moves on 6 January 2027", None),
        ("2026-12", "Moves in December", "Moves on 6 December or 7 December", None),
    ],
)
def test_a_plan_moves_with_its_statement_whether_it_names_the_year_or_not(
    text: str, old: str, new: str, moved: str | None
) -> None:
    assert moved_to(text, old=old, new=new, ended=True) == moved


def test_no_pattern_is_compiled_for_each_day(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a millisecond each, for every plan that a context shows."""
    monkeypatch.delattr(re, "_compile")

    assert plan_is_over(
        "2026-03-14", said="Fair on 2026-03-14", told_at=MARCH - DAY, now=MARCH + 60 * DAY, timezone="UTC"
    )


def test_a_range_within_a_day_says_the_day_once() -> None:
    assert told_as("2026-03-14T17:00/2026-03-14T19:00", "UTC") == "2026-03-14 17:00 to 19:00"


def test_a_day_is_the_persons_own() -> None:
    evening = datetime(2026, 3, 1, 23, 30, tzinfo=UTC).timestamp()

    assert [day_of(evening, zone) for zone in ("UTC", "Asia/Kathmandu", "America/New_York")] == [
        "2026-03-01",
        "2026-03-02",
        "2026-03-01",
    ]
