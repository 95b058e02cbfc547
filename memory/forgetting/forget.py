"""Removes entries as the policy says: a small batch per relationship, under its lock, with revisions."""

from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from config.postgresql.sessions import execute
from memory.entries.history import Change, change_entries, changed
from memory.forgetting.configuration import Forgetting
from memory.forgetting.policies import ForgettingPolicy
from memory.models import EntryState, RevisionEvent, ScratchpadEntry, Tier
from memory.retrieval.decay import SECONDS_A_DAY
from relationships.configuration.plugins import load
from relationships.services.sequence import lock_relationship
from web.actor import Actor

BY_FORGETTING = Actor.policy("forgetting")
AT_ONCE = 100  # entries of a relationship in one transaction; the rest leaves in the next rounds

# `since` reads times from three tables, so the entry's own time is checked first: it can only be older than `since`.
_LEAVING = """
SELECT e.relationship_id, e.id, {last_touch} AS since
  FROM memory_scratchpadentry e
  LEFT JOIN LATERAL (
       SELECT max(v.recorded_at) AS at FROM memory_entryrevision v
        WHERE v.relationship_id = e.relationship_id AND v.entry_id = e.id
          AND v.event IN ('restore', 'update') AND v.actor_kind <> 'policy') changed ON true
 WHERE e.relationship_id = ANY(%(relationships)s) AND e.state = 'active' AND e.tier = ANY(%(tiers)s)
   AND NOT e.pinned AND NOT e.read_only AND {by_own_time} AND {by_last_touch}
 ORDER BY since, e.id LIMIT %(limit)s
"""
_LAST_TOUCH = "greatest(e.effective_at, e.last_accessed_at, changed.at)"


def policy_of(forgetting: Forgetting) -> ForgettingPolicy:
    policy: ForgettingPolicy = load("FORGETTING_POLICIES", forgetting.policy)()
    return policy


def who_has_leaving(relationship_ids: Collection[UUID], forgetting: Forgetting, now: datetime) -> list[UUID]:
    """Those of these relationships (all of one configuration) that have entries to remove, the oldest first."""
    found = _leaving(relationship_ids, forgetting, now, limit=len(relationship_ids))
    return list(dict.fromkeys(relationship_id for relationship_id, _, _ in found))


@transaction.atomic
def forget_entries(
    *, relationship_id: UUID, project_id: UUID, forgetting: Forgetting, now: datetime, limit: int = AT_ONCE
) -> int:
    """Remove at most `limit` entries, the longest untouched first. Returns how many."""
    if not lock_relationship(relationship_id):
        return 0
    since = {id: at for _, id, at in _leaving([relationship_id], forgetting, now, limit=limit)}
    if not since:
        return 0
    policy = policy_of(forgetting)
    changes = []
    for entry in ScratchpadEntry.objects.for_relationship(relationship_id).filter(id__in=list(since)):
        age_days = (now - since[entry.id]).total_seconds() / SECONDS_A_DAY
        reason = policy.reason(importance=entry.importance, age_days=age_days, forgetting=forgetting)
        changes.append(_leave(entry, forgetting, reason, now))
    change_entries(
        relationship_id=relationship_id, project_id=project_id, changes=changes, by=BY_FORGETTING, now=now
    )
    return len(changes)


def _leave(entry: ScratchpadEntry, forgetting: Forgetting, reason: str, now: datetime) -> Change:
    if forgetting.then == "archive":
        return changed(entry, RevisionEvent.ARCHIVE, at=now, reason=reason, tier=Tier.ARCHIVE)
    return changed(entry, RevisionEvent.EXPIRE, at=now, reason=reason, state=EntryState.EXPIRED)


def _leaving(
    relationship_ids: Collection[UUID], forgetting: Forgetting, now: datetime, *, limit: int
) -> list[tuple[Any, ...]]:
    """The relationship, the ID of the entry, and since when it is untouched."""
    condition = policy_of(forgetting).condition(forgetting, now)
    if condition is None or not relationship_ids:
        return []
    tiers = [Tier.SCRATCHPAD.value] if forgetting.then == "archive" else list(Tier.values)
    statement = _LEAVING.format(
        by_own_time=condition.sql.format(since="e.effective_at"),
        by_last_touch=condition.sql.format(since=_LAST_TOUCH),
        last_touch=_LAST_TOUCH,
    )
    given = {"relationships": list(relationship_ids), "tiers": tiers, "limit": limit}
    return execute(statement, {**condition.values, **given})
