"""Which indexes are ready, as this process knows it: no statement for the many relationships that have none.

What is a few seconds old does no harm. Of an index that went, the planner falls back on the relationship's own rows;
one that has just come is used a little later.
"""

import time
from dataclasses import dataclass
from datetime import datetime

from memory.models import IndexState, LargeIndex
from memory.retrieval.large.statements import IndexKey, key_of

REFRESH_SECONDS = 5.0

_COLUMNS = (
    "relationship_id",
    "kind",
    "purpose",
    "model",
    "dimensions",
    "rows",
    "mean_length",
    "half_life_days",
    "reference",
)


@dataclass(frozen=True, slots=True)
class ReadyIndex:
    """`rows` and `mean_length`: when they were last counted. `half_life_days`, `reference`: of a fold."""

    key: IndexKey
    rows: int
    mean_length: float
    half_life_days: float | None
    reference: datetime | None


_known: dict[IndexKey, ReadyIndex] = {}
_known_until = 0.0  # monotonic


def ready_index(key: IndexKey) -> ReadyIndex | None:
    """The index, if there is one and it can be used."""
    if time.monotonic() >= _known_until:
        _read_anew()
    return _known.get(key)


def forget_known() -> None:
    """Ask the database at the next question."""
    global _known_until
    _known_until = 0.0


def _read_anew() -> None:
    global _known, _known_until
    rows = LargeIndex.objects.filter(state=IndexState.READY).only("pk", *_COLUMNS)
    _known = {key_of(row): _ready(row) for row in rows}
    _known_until = time.monotonic() + REFRESH_SECONDS


def _ready(row: LargeIndex) -> ReadyIndex:
    return ReadyIndex(key_of(row), row.rows, row.mean_length, row.half_life_days, row.reference)
