"""Deletions that wait for review: `forget everything about me` may be what the person wants, or injected."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from config.postgresql.sessions import execute
from memory.entries.history import Origin, change_entries, changed
from memory.errors import AlreadyDecided
from memory.models import (
    EntryState,
    HeldDeletion,
    HeldState,
    OperationResult,
    RevisionEvent,
    ScratchpadEntry,
)
from relationships.models import Turn, TurnState
from relationships.services.rows import require
from relationships.services.sequence import lock_relationship
from web.actor import Actor

_HELD_OF_TURNS = """
SELECT item.turn_id, held.state, count(*)
  FROM memory_operationresult item
  JOIN memory_helddeletion held ON held.relationship_id = item.relationship_id AND held.id = item.held_id
 WHERE item.relationship_id = %s AND item.turn_id = ANY(%s)
 GROUP BY 1, 2
"""


def held_of_turns(*, relationship_id: UUID, turns: Iterable[Turn]) -> Mapping[UUID, Mapping[HeldState, int]]:
    """For each turn, the number of its held deletions by their present state. One statement; none if no turn was
    applied."""
    held: dict[UUID, dict[HeldState, int]] = defaultdict(dict)
    asked = [turn.id for turn in turns if turn.state == TurnState.APPLIED]
    if asked:
        for turn_id, state, count in execute(_HELD_OF_TURNS, [relationship_id, asked]):
            held[turn_id][HeldState(state)] = count
    return held


def deletions_of(relationship_id: UUID, held_ids: Collection[UUID]) -> Mapping[UUID, list[OperationResult]]:
    """The deletions of each held deletion, in the order of the answer. One statement."""
    found: dict[UUID, list[OperationResult]] = {held_id: [] for held_id in held_ids}
    rows = OperationResult.objects.for_relationship(relationship_id).filter(held_id__in=held_ids)
    for row in rows.order_by("id"):
        found[row.held_id].append(row)
    return found


@transaction.atomic
def confirm_deletions(*, relationship_id: UUID, held_id: UUID, by: Actor) -> tuple[HeldDeletion, list[UUID]]:
    """Delete what was held. Return it, and the entries that were left alone because they were changed since.

    Raises NotFound, AlreadyDecided.
    """
    held = _waiting(relationship_id, held_id)
    now = timezone.now()
    deletions = deletions_of(relationship_id, [held_id])[held_id]
    owned = ScratchpadEntry.objects.for_relationship(relationship_id)
    entries = {entry.id: entry for entry in owned.filter(id__in=[item.entry_id for item in deletions])}
    changes, left_alone = [], []
    for item in deletions:
        entry = entries.get(item.entry_id)
        if entry is None or entry.state != EntryState.ACTIVE:
            continue  # gone already
        if entry.version != item.entry_version or entry.read_only:
            left_alone.append(entry.id)
            continue
        reason, origin = item.held_reason or "confirmed", Origin(turn_id=item.turn_id)
        gone = {"state": EntryState.DELETED, "source_message_ids": entry.citing(_asked_by(item))}
        changes.append(changed(entry, RevisionEvent.DELETE, at=now, reason=reason, origin=origin, **gone))
    change_entries(
        relationship_id=relationship_id, project_id=held.project_id, changes=changes, by=by, now=now
    )
    return _decide(held, HeldState.CONFIRMED, by), left_alone


def _asked_by(item: OperationResult) -> list[UUID]:
    """The messages that asked for the deletion, which are hidden with the entry; not those that correct it."""
    untrue = isinstance(item.operation, dict) and item.operation.get("untrue") is True
    return [] if untrue else list(item.message_ids)


@transaction.atomic
def decline_deletions(*, relationship_id: UUID, held_id: UUID, by: Actor) -> HeldDeletion:
    """Keep the entries. The request stays readable. Raises NotFound, AlreadyDecided."""
    return _decide(_waiting(relationship_id, held_id), HeldState.DECLINED, by)


def _waiting(relationship_id: UUID, held_id: UUID) -> HeldDeletion:
    lock_relationship(relationship_id)
    rows = HeldDeletion.objects.for_relationship(relationship_id).filter(id=held_id)
    held: HeldDeletion = require(rows, "held deletion")
    if held.state != HeldState.WAITING:
        raise AlreadyDecided(f"This deletion was {held.state} before.")
    return held


def _decide(held: HeldDeletion, state: HeldState, by: Actor) -> HeldDeletion:
    HeldDeletion.objects.for_relationship(held.relationship_id).filter(id=held.id).update(
        state=state, decided_by_kind=by.kind, decided_by_id=by.id, decided_at=timezone.now()
    )
    held.refresh_from_db()
    return held
