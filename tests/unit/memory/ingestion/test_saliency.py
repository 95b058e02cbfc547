from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from memory.ingestion.overflow import least_salient, saliency
from memory.models import ScratchpadEntry
from providers.tokens import line_tokens

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
LINE = line_tokens("Likes tea")


def entry(number: int = 1, *, age_days: float = 0, **values: Any) -> ScratchpadEntry:
    told_at = NOON - timedelta(days=age_days)
    return ScratchpadEntry(
        **{"id": UUID(int=number), "type": "other", "content": "Likes tea", "effective_at": told_at, **values}
    )


def counts(**values: Any) -> float:
    return saliency(entry(**values), NOON)


def test_importance_weight_and_confidence_multiply() -> None:
    assert counts(importance=0.8, weight=2.0, confidence=0.5) == pytest.approx(0.8 * 2.0 * 0.5 * 1.2)


@pytest.mark.parametrize(
    ("age_days", "gain"), [(0, 1.2), (-5, 1.2), (30, 1.1), (60, 1.05), (100_000, 1.0)], ids=str
)
def test_being_new_gains_a_fifth_at_the_most(age_days: float, gain: float) -> None:
    assert counts(age_days=age_days) == pytest.approx(0.5 * gain)


def test_what_nobody_judged_counts_by_its_type() -> None:
    assert counts(type="identity", age_days=3650) > counts(type="event")
    assert counts(type="identity", importance=0.1) < counts(type="event")


def test_the_least_salient_leave_first_and_of_equals_the_older() -> None:
    important, new, old, minor = (
        entry(1, importance=0.9),
        entry(2, age_days=70_000),
        entry(3, age_days=80_000),
        entry(4, importance=0.2),
    )

    assert least_salient([important, new, old, minor], NOON, tokens=3 * LINE) == [minor, old, new]


@pytest.mark.parametrize(
    ("tokens", "leaving"), [(-5, 0), (0, 0), (1, 1), (LINE, 1), (LINE + 1, 2), (1000, 3)]
)
def test_no_more_leave_than_must(tokens: int, leaving: int) -> None:
    known = [entry(number) for number in range(3)]

    assert len(least_salient(known, NOON, tokens=tokens)) == leaving
