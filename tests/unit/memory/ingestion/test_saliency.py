from uuid import UUID

import pytest

from memory.ingestion.overflow import Candidate, least_salient, saliency

PLAIN = {"type": "other", "importance": 0.5, "weight": 1.0, "confidence": 1.0, "age_days": 0.0}


def counts(**values: object) -> float:
    return saliency(**{**PLAIN, **values})  # type: ignore[arg-type]


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


def candidate(number: int, counted: float, age_days: float = 1.0) -> Candidate:
    return Candidate(UUID(int=number), counted, age_days, 10)


def test_the_least_salient_leave_first_and_of_equals_the_older() -> None:
    known = [candidate(1, 0.9), candidate(2, 0.5, 3.0), candidate(3, 0.5, 7.0), candidate(4, 0.2)]

    assert [row.id.int for row in least_salient(known, tokens=30)] == [4, 3, 2]


@pytest.mark.parametrize(("tokens", "leaving"), [(-5, 0), (0, 0), (1, 1), (10, 1), (11, 2), (1000, 3)])
def test_no_more_leave_than_must(tokens: int, leaving: int) -> None:
    known = [candidate(number, 0.5) for number in range(3)]

    assert len(least_salient(known, tokens=tokens)) == leaving
