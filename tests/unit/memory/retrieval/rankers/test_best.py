"""The ranker `best` against its own formula, written out row by row; and what each part of it is for."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.dates import Period
from memory.retrieval.rankers.base import order_of
from memory.retrieval.rankers.best import BestRanker
from tests.unit.memory.retrieval.rankers.rows import NOW, WORDS, Row, candidates, drawn_rows, question

IN_MAY = Period(2025, 5)


def near_rows(rows: Sequence[Row], place: int, reach: int) -> list[tuple[int, int]]:
    """Rows of the same session within reach, each with its distance counted in rows of that session; itself first."""
    session = [
        number for number, row in enumerate(rows) if row.session == rows[place].session and row.session >= 0
    ]
    if not session:
        return [(place, 0)]
    own = session.index(place)
    return [
        (other, abs(position - own)) for position, other in enumerate(session) if abs(position - own) <= reach
    ]


def pause(rows: Sequence[Row], place: int, other: int) -> float:
    """What is left of a neighbour after the time between them: half after two hours."""
    return 1 / (1 + abs(rows[place].age - rows[other].age) * 12)


def text_of(rows: Sequence[Row]) -> list[float]:
    counted = [place for place, row in enumerate(rows) if row.counted]

    def spread(values: Sequence[float], place: int) -> float:
        return sum(
            0.6**distance * pause(rows, place, other) * values[other]
            for other, distance in near_rows(rows, place, 4)
        )

    lengths = [spread([row.length for row in rows], place) for place in range(len(rows))]
    mean = sum(lengths[place] for place in counted) / len(counted) if counted else 0
    scores = [0.0] * len(rows)
    for word in WORDS:
        documents = sum(word in rows[place].words for place in counted)
        idf = math.log(1 + (len(counted) - documents + 0.5) / (documents + 0.5))
        for place in range(len(rows)):
            count = spread([row.words.get(word, 0) for row in rows], place)
            norm = 1.2 * (0.25 + 0.75 * lengths[place] / (mean or 1))
            scores[place] += idf * 2.2 * count / (count + norm) if count else 0
    best = max(scores) or 1.0
    return [score / best for score in scores]


def vector_of(rows: Sequence[Row], text: Sequence[float]) -> list[float]:
    smooth: list[float | None] = []
    for place, row in enumerate(rows):
        near = [
            (rows[other].cosine, 0.3**distance * pause(rows, place, other))
            for other, distance in near_rows(rows, place, 2)
            if rows[other].cosine is not None
        ]
        total = sum(weight * (cosine or 0.0) for cosine, weight in near)
        smooth.append(None if row.cosine is None else total / sum(weight for _, weight in near))
    known = [cosine for cosine in smooth if cosine is not None]
    of_counted = [
        cosine for cosine, row in zip(smooth, rows, strict=True) if row.counted and cosine is not None
    ]
    mean = sum(of_counted) / len(of_counted) if of_counted else 0.0
    width = max(known) - mean
    width = width if width > 1e-9 else 1.0
    return [
        text[place] if cosine is None else max(0.0, (cosine - mean) / width)
        for place, cosine in enumerate(smooth)
    ]


def date_of(row: Row) -> float:
    told = (NOW - timedelta(days=row.age)).date()
    if datetime(2025, 4, 30).date() <= told <= datetime(2025, 6, 3).date():
        return 1.0
    return 0.5 if datetime(2025, 5, 31).date() < told <= datetime(2025, 6, 14).date() else 0.0


def totals_of(rows: Sequence[Row]) -> list[float]:
    text = text_of(rows)
    vectors = any(row.cosine is not None for row in rows)
    vector = vector_of(rows, text) if vectors else text
    counted = [row.length for row in rows if row.counted]
    mean = sum(counted) / len(counted) if counted else 0.0
    messages = any(row.session >= 0 for row in rows)
    return [
        (text[place] + 1.2 * vector[place]) / 2.2
        + 0.4 * row.named
        + (0.1 * min(1, math.log((row.length + 1) / (mean + 1))) if messages else 0)
        + 0.4 * date_of(row)
        for place, row in enumerate(rows)
    ]


@given(drawn_rows(sessions=True) | drawn_rows(sessions=False))
def test_the_score_is_the_formula(rows: list[Row]) -> None:
    scores = BestRanker().rank(candidates(rows, WORDS), question(WORDS, periods=(IN_MAY,)), NOW)

    assert scores.total == pytest.approx(totals_of(rows), abs=1e-9)
    assert np.sum(list(scores.parts.values()), axis=0) == pytest.approx(scores.total)


@given(drawn_rows(sessions=True), st.data())
def test_a_filter_changes_no_score(rows: list[Row], data: st.DataObject) -> None:
    asked = question(WORDS)
    everyone = BestRanker().rank(candidates(rows, WORDS), asked, NOW)
    some = [
        Row(**{**vars(row), "allowed": allowed})
        for row, allowed in zip(
            rows, data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))), strict=True
        )
    ]

    assert BestRanker().rank(candidates(some, WORDS), asked, NOW).total.tolist() == everyone.total.tolist()


def ranked(rows: Sequence[Row], words: Sequence[str] = WORDS, **asked: object) -> list[int]:
    scores = BestRanker().rank(candidates(rows, words), question(words, **asked), NOW)  # type: ignore[arg-type]
    kept = np.flatnonzero(scores.kept)
    return [int(place) for place in kept[order_of(scores.total[kept])]]


def test_what_shares_nothing_with_the_question_is_not_found_even_if_its_speaker_is_named() -> None:
    rows = [Row(named=True), Row({"tea": 1})]
    assert ranked(rows) == [1]


def test_what_was_told_at_the_time_asked_for_goes_first_and_is_found_without_a_word() -> None:
    told_then = (NOW - datetime(2025, 5, 10, tzinfo=UTC)).days
    rows = [Row(age=told_then), Row({"tea": 1}, age=10)]
    assert ranked(rows, periods=(IN_MAY,)) == [1, 0]
    assert ranked([Row(age=told_then), Row(age=10)], periods=(IN_MAY,)) == [0]


def test_recency_adds_no_more_than_its_share_and_halves_by_half_life() -> None:
    rows = [Row({"tea": 1}, age=0), Row({"tea": 1}, age=30), Row({"tea": 1}, age=60)]

    scores = BestRanker().rank(candidates(rows, WORDS), question(WORDS, recency=0.1, half_life_days=30), NOW)

    assert scores.parts["recency"] == pytest.approx([0.1, 0.05, 0.025])
