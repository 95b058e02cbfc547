"""Applies an answer: one short transaction under the relationship's row lock, all of it or nothing."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from memory.entries.editing import WRITTEN_FIELDS
from memory.entries.fingerprint import content_hash
from memory.entries.history import Origin, record_changes
from memory.entries.snapshots import rebuild_scratchpad
from memory.errors import ErasedMeanwhile, StaleAnswer
from memory.ingestion.apply_state import ApplyState, open_state, subject_of
from memory.ingestion.calls import CallLog, erased_meanwhile, shown_ids, store_calls
from memory.ingestion.claim import Claim, hold_claim, settle_turns
from memory.ingestion.ingestion_input import IngestionInput
from memory.ingestion.operation_handlers import carry_out
from memory.ingestion.operations import Operation, Refusal
from memory.ingestion.overflow import overflow_scratchpad
from memory.ingestion.proposals import Proposed
from memory.ingestion.vectors import keep_known_vectors
from memory.models import (
    EntryRevision,
    HeldDeletion,
    OperationResult,
    RevisionEvent,
    ScratchpadEntry,
    Verdict,
)
from relationships.models import TurnState
from web.actor import Actor, ActorKind


@transaction.atomic
def apply_operations(
    *, claim: Claim, proposed: Proposed, log: CallLog, last_try: bool
) -> list[EntryRevision]:
    """Carry the operations out, settle the turns, keep the calls. The revisions it made, in order.

    Raises StaleAnswer when an entry it would change is not what the model saw; on the last try only the operations
    concerned are refused. Raises ErasedMeanwhile, on any try, as an answer may quote whatever was shown. Raises
    LeaseLost. Nothing is written in any of these cases.
    """
    given, items = proposed.given, proposed.items
    hold_claim(claim)
    now = timezone.now()
    erased = erased_meanwhile(given, *log.inputs) if items or log.waiting else frozenset()
    if items and erased & shown_ids(given):
        raise ErasedMeanwhile("Something the model was shown was erased while it answered.")
    state = open_state(given, items, now=now)
    state.shown = log.shown
    if not last_try:
        _refuse_stale(state, items)
    carry_out_all(state, items, _origins(given, log))
    revisions = _write(state, by=Actor(ActorKind.MODEL, log.last_model))
    keep_known_vectors(given, [*state.added, *state.targets.values()], proposed.vectors)
    _settle(claim, state, log)
    store_calls(log, now=now, erased=erased)  # last, as it locks the project's count of the day
    return revisions


def carry_out_all(
    state: ApplyState, items: Sequence[Operation | Refusal], origins: dict[UUID, Origin]
) -> None:
    """Each by itself, in order; too many deletions at once are held."""
    held = _too_many_deletions(state, items)
    for item in items:
        if isinstance(item, Refusal):
            state.add_result(item, Verdict.REFUSED, item.reason)
        elif item in held:
            _hold(state, item)
        else:
            carry_out(state, item, _origin_of(item, origins[state.turn_of(item).id]))


def _refuse_stale(state: ApplyState, items: Sequence[Operation | Refusal]) -> None:
    for item in items:
        if isinstance(item, Operation) and item.entry is not None and state.target(item) is None:
            raise StaleAnswer(f"Entry {item.entry} was changed while the model answered.")


def _too_many_deletions(state: ApplyState, items: Sequence[Operation | Refusal]) -> list[Operation]:
    """Every operation that takes an entry away, if together they are more than the configuration lets pass.

    An update takes one away where it only repeats another entry: so nobody's list is merged into one line unseen.
    """
    said: set[tuple[str, bytes]] = set()
    moved_on: set[UUID] = set()  # entries that gave their text up before, so that another may say it
    taking: list[Operation] = []
    for item in items:
        entry = state.target(item) if isinstance(item, Operation) and item.entry is not None else None
        if entry is None or not isinstance(item, Operation) or item.op == "known":
            continue
        fingerprint = (subject_of(item, entry), content_hash(item.content))
        same = state.active.get(fingerprint, entry)
        repeats = same.id != entry.id and same.id not in moved_on
        if item.op == "delete" or repeats or fingerprint in said:
            taking.append(item)
        said.add(fingerprint)
        moved_on.add(entry.id)
    limit = state.given.ingestion.deletion_hold
    held = len(taking) > limit.count and len(taking) > limit.share * state.active_count
    return taking if held else []


def _hold(state: ApplyState, operation: Operation) -> None:
    entry = state.target(operation)
    if entry is None:
        carry_out(state, operation, Origin())  # writes down why it is refused
        return
    result = state.add_result(
        operation, Verdict.HELD, "so many deletions at once wait for a person", entry.id
    )
    result.entry_version, result.held_reason = entry.version, operation.reason


def _write(state: ApplyState, *, by: Actor) -> list[EntryRevision]:
    """Those that leave first, then the changed ones in the order of the operations, then the new: so the unique
    indexes see each text and key given up before it is taken.
    """
    given = state.given
    added = {entry.id for entry in state.added}
    changes = [change for change in state.changes if change.event != RevisionEvent.NONE]
    touched = dict.fromkeys(UUID(change.after["id"]) for change in changes if change.after)
    changed = [state.targets[entry_id] for entry_id in touched if entry_id not in added]
    for entry in sorted(changed, key=lambda entry: entry.state == "active"):
        values = {name: getattr(entry, name) for name in WRITTEN_FIELDS}
        ScratchpadEntry.objects.for_relationship(given.relationship_id).filter(id=entry.id).update(**values)
    ScratchpadEntry.objects.bulk_create(state.added)
    revisions = record_changes(
        relationship_id=given.relationship_id,
        project_id=given.project_id,
        changes=state.changes,
        by=by,
        now=state.now,
    )
    if state.changes:
        revisions += overflow_scratchpad(
            relationship_id=given.relationship_id,
            project_id=given.project_id,
            ingestion=given.ingestion,
            written={UUID(change.after["id"]) for change in state.changes if change.after},
            now=state.now,
        )
        rebuild_scratchpad(relationship_id=given.relationship_id, project_id=given.project_id, now=state.now)
    return revisions


def _settle(claim: Claim, state: ApplyState, log: CallLog) -> None:
    held = [result for result in state.results if result.verdict == Verdict.HELD]
    if held:
        waiting = HeldDeletion(
            relationship_id=state.given.relationship_id,
            project_id=state.given.project_id,
            turn_id=held[-1].turn_id,
        )
        waiting.save(force_insert=True)
        for result in held:
            result.held_id = waiting.id
    OperationResult.objects.bulk_create(state.results)
    settle_turns(
        claim,
        TurnState.APPLIED,
        call_ids=log.ids,
        prompt_version=state.given.instructions.version,
        error_code="",
        error="",
    )


def _origins(given: IngestionInput, log: CallLog) -> dict[UUID, Origin]:
    call_id = log.ids[-1] if log.ids else None
    version = given.instructions.version
    return {turn.id: Origin(turn.id, call_id, version, log.last_model) for turn in given.turns}


def _origin_of(item: Operation, origin: Origin) -> Origin:
    """Of several calls, the one whose answer the operation is of."""
    if item.call_id is None:
        return origin
    return replace(origin, model_call_id=item.call_id, model=item.model)
