"""Move the least salient entries of a scratchpad that is over its soft budget to the archive.

The model is asked to condense before that, from nine tenths of the budget on (memory.ingestion.prompt). What it does
not condense overflows here, down to LOW_WATER: at once instead of one entry per turn, and far enough that the model
needn't condense for a while. At most MOST_AT_ONCE entries, as others wait for the lock.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from math import inf
from uuid import UUID

from memory.entries.happens import plan_is_over, span_of
from memory.entries.history import Change, change_entries, changed
from memory.ingestion.configuration import Ingestion
from memory.models import EntryRevision, OperationResult, RevisionEvent, ScratchpadEntry, Tier
from providers.tokens import line_tokens
from web.actor import Actor

BY_OVERFLOW = Actor.policy("overflow")
MOST_AT_ONCE = 500  # entries: about half a second
LOW_WATER = 0.8  # of the soft budget: less than the nine tenths from which the model is asked to condense
# Upper bounds by providers.tokens: a non-ASCII byte counts 0.3, and a line's dash, break and rounding up 1.75.
TOKENS_PER_BYTE, TOKENS_AROUND_A_LINE = 0.3, 2
_DAY = timedelta(days=1)
NEWNESS = 0.2  # how much more a new entry counts than a very old one
HALF_LIFE_DAYS = 30.0  # after which half of that is left
DEFAULT_IMPORTANCE = 0.5  # of an entry that was not scored
# Importance by type of entries that were not scored: the floors of the recipe `importance`. Limits belong to
# preferences here; people and promises are between goals and preferences, lasting worries like preferences. Other
# types: the default.
IMPORTANCE_OF_TYPE = {
    "identity": 0.85,
    "goal": 0.75,
    "relationship": 0.7,
    "agreement": 0.7,
    "preference": 0.6,
    "worry": 0.6,
}


def overflow_scratchpad(
    *,
    relationship_id: UUID,
    project_id: UUID,
    ingestion: Ingestion,
    written: Collection[UUID],
    now: datetime,
    at_most: float = inf,
) -> list[EntryRevision]:
    """Move what exceeds `ingestion.soft_budget` to the archive, and return the revisions.

    Call it in the transaction of the changes and under its lock, after they were written.
    `at_most`: an upper bound of the scratchpad's tokens, by which most turns need not read the entries.
    `written`: entries that this turn added, changed or confirmed; they stay.
    """
    budget = ingestion.soft_budget
    if ingestion.overflow == "keep" or not budget or at_most <= budget:
        return []
    scratchpad = ScratchpadEntry.objects.for_relationship(relationship_id).active().in_scratchpad()
    shown = [entry for entry in scratchpad if not _is_over(entry, now)]
    used = sum(line_tokens(entry.content) for entry in shown)
    if used <= budget:
        return []
    free = _free_to_leave(relationship_id, shown, written, now)
    leaving = least_salient(free, now, tokens=used - int(LOW_WATER * budget))[:MOST_AT_ONCE]
    changes = [_archived(entry, used, budget, now) for entry in leaving]
    return change_entries(
        relationship_id=relationship_id, project_id=project_id, changes=changes, by=BY_OVERFLOW, now=now
    )


def least_salient(entries: Sequence[ScratchpadEntry], now: datetime, *, tokens: int) -> list[ScratchpadEntry]:
    """The least salient entries that take `tokens` together, or all; of equals the older, then the lower ID."""
    leaving: list[ScratchpadEntry] = []
    for entry in sorted(entries, key=lambda known: (saliency(known, now), known.effective_at, known.id)):
        if tokens <= 0:
            break
        leaving.append(entry)
        tokens -= line_tokens(entry.content)
    return leaving


def saliency(entry: ScratchpadEntry, now: datetime) -> float:
    """How important an entry is: from 0 to 1.2 x its weight."""
    importance = entry.importance
    if importance == DEFAULT_IMPORTANCE and not _is_long_over(entry, now):
        importance = IMPORTANCE_OF_TYPE.get(entry.type, importance)
    age_days = max((now - entry.effective_at) / _DAY, 0.0)
    newness: float = 0.5 ** (age_days / HALF_LIFE_DAYS)
    return importance * entry.weight * entry.confidence * (1 + NEWNESS * newness)


def tokens_at_most(bytes_: int, lines: int) -> float:
    """An upper bound of the tokens of `lines` lines with `bytes_` bytes altogether."""
    return TOKENS_PER_BYTE * bytes_ + TOKENS_AROUND_A_LINE * lines


def _free_to_leave(
    relationship_id: UUID, shown: Sequence[ScratchpadEntry], written: Collection[UUID], now: datetime
) -> list[ScratchpadEntry]:
    """The entries that may be moved. Not those of this turn, which nobody has seen yet, nor those of held deletions,
    which should stay unchanged until a person decides.
    """
    waiting = OperationResult.objects.for_relationship(relationship_id).waiting()
    held = set(waiting.values_list("entry_id", flat=True))
    return [
        entry
        for entry in shown
        if not (entry.pinned or entry.read_only or entry.single_valued or _is_ahead(entry, now))
        and entry.id not in written
        and entry.id not in held
    ]


def _archived(entry: ScratchpadEntry, used: int, budget: int, now: datetime) -> Change:
    reason = (
        f"the scratchpad took {used} of {budget} tokens; this entry counted {saliency(entry, now):.3f}, "
        f"{line_tokens(entry.content)} tokens"
    )
    return changed(entry, RevisionEvent.ARCHIVE, at=now, reason=reason, tier=Tier.ARCHIVE)


def _is_long_over(entry: ScratchpadEntry, now: datetime) -> bool:
    """Return whether it is a plan whose date passed HALF_LIFE_DAYS ago without a word on how it went."""
    if not entry.happens_at:
        return False
    before = now - HALF_LIFE_DAYS * _DAY
    told_at = entry.effective_at
    return plan_is_over(entry.happens_at, said=entry.content, told_at=told_at, now=before, timezone="UTC")


def _is_ahead(entry: ScratchpadEntry, now: datetime) -> bool:
    happens = span_of(entry.happens_at, "UTC").ends if entry.happens_at else None
    return any(time is not None and time > now for time in (happens, entry.valid_from))


def _is_over(entry: ScratchpadEntry, now: datetime) -> bool:
    """Return whether no context shows it any more, so that it takes no tokens."""
    return any(time is not None and time <= now for time in (entry.valid_to, entry.expires_at))
