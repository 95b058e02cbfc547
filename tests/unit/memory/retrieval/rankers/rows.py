"""Candidates for rankers, written row by row, and rows for property tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np
from hypothesis import strategies as st

from memory.dates import Period
from memory.retrieval.configuration import Retrieval
from memory.retrieval.rankers.base import Candidates, Counts, Question

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
DAY = 86_400.0


@dataclass(frozen=True)
class Row:
    """`words`: how often each word of the question occurs in it. `age` and `untouched` in days before NOW."""

    words: Mapping[str, float] = field(default_factory=dict)
    length: int = 10
    session: int = -1
    age: float = 0.0
    untouched: float | None = None  # None: never accessed
    cosine: float | None = None
    named: bool = False
    importance: float = 1.0
    weight: float = 1.0
    counted: bool = True
    allowed: bool = True


def candidates(rows: Sequence[Row], words: Sequence[str] = ()) -> Candidates:
    hits = [
        (place, number, row.words[word])
        for place, row in enumerate(rows)
        for number, word in enumerate(words)
        if word in row.words
    ]
    told = np.array([NOW.timestamp() - row.age * DAY for row in rows])
    return Candidates(
        told=told,
        touched=np.array(
            [NOW.timestamp() - (row.age if row.untouched is None else row.untouched) * DAY for row in rows]
        ),
        length=np.array([float(row.length) for row in rows]),
        session=np.array([row.session for row in rows], dtype=np.int64),
        named=np.array([row.named for row in rows], dtype=np.bool_),
        cosine=np.array([np.nan if row.cosine is None else row.cosine for row in rows]),
        importance=np.array([row.importance for row in rows]),
        weight=np.array([row.weight for row in rows]),
        counted=np.array([row.counted for row in rows], dtype=np.bool_),
        allowed=np.array([row.allowed for row in rows], dtype=np.bool_),
        counts=Counts(
            row=np.array([hit[0] for hit in hits], dtype=np.int64),
            term=np.array([hit[1] for hit in hits], dtype=np.int64),
            count=np.array([float(hit[2]) for hit in hits]),
        ),
    )


def question(words: Sequence[str] = (), *, periods: tuple[Period, ...] = (), **retrieval: Any) -> Question:
    return Question(len(words), Retrieval.model_validate(retrieval), periods)


WORDS = ("tea", "porto", "kayak")


def drawn_rows(*, sessions: bool) -> st.SearchStrategy[list[Row]]:
    """Rows with some of WORDS, in sessions or in none."""
    row = st.builds(
        Row,
        words=st.dictionaries(st.sampled_from(WORDS), st.integers(1, 4), max_size=3),
        length=st.integers(0, 40),
        session=st.integers(0, 2) if sessions else st.just(-1),
        age=st.floats(0, 400),
        cosine=st.none() | st.floats(-1, 1),
        named=st.booleans(),
        importance=st.floats(0, 1),
        weight=st.floats(0, 3),
        counted=st.booleans(),
    )
    return st.lists(row, min_size=1, max_size=12)
