"""Folds anew what became stale. Until then its entries are scored from their own rows, which is right and slower."""

from datetime import datetime

from memory.models import DecayFold, IndexPurpose, IndexState, LargeIndex
from memory.queue.housekeeping import Duty
from memory.retrieval.decay.write import refold_stale

SECONDS = 5


def decay_duties() -> list[Duty]:
    return [Duty("fold_stale_entries", SECONDS, fold_what_is_stale)]


def fold_what_is_stale(now: datetime) -> int:
    """How many entries were folded. An index whose reference has to move is wanted anew, and with it every fold."""
    return sum(
        _fold(index, now)
        for index in LargeIndex.objects.filter(purpose=IndexPurpose.DECAY, state=IndexState.READY)
    )


def _fold(index: LargeIndex, now: datetime) -> int:
    folds = DecayFold.objects.for_relationship(index.relationship_id)
    if not folds.filter(stale=True).exists():
        return 0
    folded = refold_stale(index)
    if folded is None:
        mine = LargeIndex.objects.for_relationship(index.relationship_id).filter(id=index.id)
        mine.update(state=IndexState.WANTED, due_at=now)
    return folded or 0
