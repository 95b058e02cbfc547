from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from context.pipeline import build_context
from memory.dates import Period
from memory.ingestion.intake import accept_turn
from memory.retrieval.relative_dates import Days, relative_periods
from relationships.models import Relationship
from relationships.services.turns import NewMessage, NewTurn
from tests.growth import MOST, growth

TODAY = date(2026, 11, 27)  # a Friday
YESTERDAY = Days(date(2026, 11, 26), date(2026, 11, 26))
SEPTEMBER = Days(date(2026, 9, 1), date(2026, 9, 30))
LAST_WEEK = Days(date(2026, 11, 16), date(2026, 11, 22))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What did I tell you yesterday?", [YESTERDAY]),
        ("and the day before yesterday?", [Days(date(2026, 11, 25), date(2026, 11, 25))]),
        ("what did we talk about last week", [LAST_WEEK]),
        ("Where was I last weekend?", [Days(date(2026, 11, 21), date(2026, 11, 22))]),
        ("Who called last month?", [Days(date(2026, 10, 1), date(2026, 10, 31))]),
        ("Did I run more last year?", [Period(2025)]),
        ("What did I cook 3 days ago?", [Days(date(2026, 11, 24), date(2026, 11, 24))]),
        ("Remember what I said two weeks ago", [Days(date(2026, 11, 10), date(2026, 11, 16))]),
        ("Who was ill a couple of months ago?", [SEPTEMBER]),
        ("What was I doing 11 months ago?", [Days(date(2025, 12, 1), date(2025, 12, 31))]),
        ("Where did I live a year ago?", [Period(2025)]),
        ("Was habe ich gestern erzählt?", [YESTERDAY]),
        ("Wo war ich vor drei Tagen?", [Days(date(2026, 11, 24), date(2026, 11, 24))]),
        ("¿Qué te conté la semana pasada?", [LAST_WEEK]),
        ("Où étais-je il y a 2 mois ?", [SEPTEMBER]),
        ("Cosa ho fatto un anno fa?", [Period(2025)]),
        ("O que eu disse ontem?", [YESTERDAY]),
        ("先週は何を話した？", [LAST_WEEK]),
        ("3日前は？", [Days(date(2026, 11, 24), date(2026, 11, 24))]),
        ("Что я говорила вчера?", [YESTERDAY]),
        ("ماذا قلت امس؟", [YESTERDAY]),
        ("昨日は何を食べましたか。", [YESTERDAY]),
        ("先週の話を教えて", [LAST_WEEK]),
        ("一昨日はどこにいたっけ", [Days(date(2026, 11, 25), date(2026, 11, 25))]),
        ("我昨天说了什么", [YESTERDAY]),
        ("ماذا قلت لك أمس", [YESTERDAY]),
        ("Что я говорила вчера", [YESTERDAY]),
        ("어제 뭐라고 했지", [YESTERDAY]),
        ("3일 전에 뭐 했어?", [Days(date(2026, 11, 24), date(2026, 11, 24))]),
        ("Was hab ich vorige Woche erzählt?", [LAST_WEEK]),
        ("dónde estuve ayer", [YESTERDAY]),
        ("昨日は寿司を食べました。", []),
        ("昨日は何も食べなかった", []),
        ("Yesterday I saw the dentist.", []),
        ("I moved here two years ago", []),
        ("What happens in a week?", []),
        ("What is it 9999 years ago, or 999 years ago?", [Period(1027)]),
        ("", []),
    ],
)
def test_times_are_read_by_their_distance_from_today(text: str, expected: list[Period | Days]) -> None:
    assert list(relative_periods(text, TODAY)) == expected


def test_before_the_first_year_there_is_none() -> None:
    assert relative_periods("What was 900 years ago?", date(800, 1, 1)) == ()


@given(st.text(max_size=200), st.dates())
def test_any_text_is_read_on_any_day(text: str, today: date) -> None:
    assert len(relative_periods(f"{text}?", today)) <= len(text)


def make(repeated: str) -> Callable[[int], str]:
    return lambda size: f"What {repeated * (size // len(repeated))}"


def test_a_text_is_read_in_time_that_grows_with_it() -> None:
    for repeated in ("a few ", "12 ", "last ", "vor ein ", "il y a un "):
        assert growth(lambda text: relative_periods(text, TODAY), make(repeated), size=2_000) < MOST


@pytest.mark.parametrize(
    ("told", "near"),
    [
        (date(2026, 11, 15), 1.25),
        (date(2026, 11, 16), 2.5),
        (date(2026, 11, 22), 2.5),
        (date(2026, 11, 25), 1.25),
    ],
)
def test_what_was_told_then_counts_in_full_and_just_beside_it_by_half(told: date, near: float) -> None:
    assert LAST_WEEK.nearness(told) == near
    assert LAST_WEEK.nearness(date(2026, 11, 26)) == LAST_WEEK.nearness(date(2026, 11, 14)) == 0


def test_a_context_shows_what_was_said_then(relationship: Relationship) -> None:
    now = timezone.now()
    for days in range(90, -1, -1):
        said = "A long talk with Ana." if days % 10 == 0 else f"Walked {days} minutes with the dog."
        said = "The dishwasher leaks again." if days == 46 else said
        new = NewTurn([NewMessage("user", said)], occurred_at=now - timedelta(days=days), session=f"s{days}")
        accept_turn(relationship=relationship, new=new)

    asked: dict[str, Any] = {"project_id": relationship.project_id, "relationship_id": relationship.id}
    context = build_context(**asked, message="What else did we talk about 46 days ago?", session="new")
    assert "The dishwasher leaks again." in context.system
