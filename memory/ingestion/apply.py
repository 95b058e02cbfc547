"""Apply an answer: one short transaction under the relationship's row lock, all of it or nothing."""

from collections.abc import Sequence, Set
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from config import tracing
from memory.entries.fingerprint import content_hash
from memory.entries.history import change_entries
from memory.errors import ErasedMeanwhile, StaleAnswer
from memory.ingestion.apply_state import ApplyState, open_state
from memory.ingestion.calls import CallLog, shown_ids
from memory.ingestion.claim import Claim, tell_outcome
from memory.ingestion.entry_values import subject_of
from memory.ingestion.forgetting_wishes import carry_out_wishes, leave_to_wishes
from memory.ingestion.operation_handlers import carry_out
from memory.ingestion.operations import Operation
from memory.ingestion.overflow import overflow_scratchpad
from memory.ingestion.proposals import Proposed
from memory.ingestion.settle import hold_claim, settle_turns
from memory.ingestion.vectors import keep_known_vectors
from memory.mending.spoken_wishes import Heard
from memory.models import HeldDeletion, Verdict
from relationships.models import TurnState
from web.actor import Actor, ActorKind


@transaction.atomic
def apply_operations(
    *, claim: Claim, proposed: Proposed, log: CallLog, last_try: bool, heard: Sequence[Heard] = ()
) -> bool:
    """Carry out the operations and the person's requests to forget, settle the turns and store the calls. Return
    whether another turn is due.

    Raises StaleAnswer when an entry that it would change is not what the model saw; on the last try only the operations
    concerned are refused. Raises ErasedMeanwhile on any try, as an answer may quote anything that was shown. Raises
    LeaseLost. In all of these cases nothing is written.
    """
    given, items = proposed.given, proposed.items
    hold_claim(claim)
    now = timezone.now()
    shown = set().union(*map(shown_ids, (given, *log.inputs))) if items or log.waiting else set()
    state, erased = open_state(given, items, now=now, shown=shown)
    if items and erased & shown_ids(given):
        raise ErasedMeanwhile("Something the model was shown was erased while it answered.")
    state.shown = log.shown
    state.last_call = (log.ids[-1] if log.ids else None, log.last_model)
    for item in items:
        if not last_try and item.entry is not None and state.target(item) is None:
            raise StaleAnswer(f"Entry {item.entry} was changed while the model answered.")
    carry_out_all(state, leave_to_wishes(given, items, heard))
    by = Actor(ActorKind.MODEL, log.last_model)
    revisions = write_changes(state, by=by)
    tracing.note({"rapport.operations": len(state.results), "rapport.revisions": revisions})
    carry_out_wishes(state, heard, by)
    keep_known_vectors(given, [*state.added, *state.rows.values()], proposed.vectors)
    return _settle(claim, state, log, erased)


def carry_out_all(state: ApplyState, items: Sequence[Operation]) -> None:
    """Carry out the operations in order, but `known` first, before another operation rewrites its entry. Too many
    deletions at once are held."""
    held = _too_many_deletions(state, items)
    for item in sorted(items, key=lambda item: item.op != "known"):
        if item.op == "refused":
            state.add_result(item, Verdict.REFUSED, item.reason)
        elif item in held and (entry := state.target(item)) is not None:
            reason = "so many deletions at once wait for a person"
            result = state.add_result(item, Verdict.HELD, reason, entry.id)
            result.entry_version, result.held_reason = entry.version, item.reason
        else:
            carry_out(state, item)


def _too_many_deletions(state: ApplyState, items: Sequence[Operation]) -> list[Operation]:
    """Every operation that removes an entry, if together they are more than the configuration allows.

    An update removes one if it only repeats another entry, so that no list is merged into one line unnoticed.
    """
    said: set[tuple[str, bytes]] = set()
    moved_on: set[UUID] = set()  # entries changed before, so that another one may take their old text
    taking: list[Operation] = []
    for item in items:
        entry = state.target(item) if item.entry is not None and item.op != "known" else None
        if entry is None:
            continue
        fingerprint = (subject_of(item, entry), content_hash(item.content))
        same = state.taken.saying(*fingerprint) or entry
        repeats = same.id != entry.id and same.id not in moved_on
        if item.op == "delete" or repeats or fingerprint in said:
            taking.append(item)
        said.add(fingerprint)
        moved_on.add(entry.id)
    held = len(taking) > state.given.ingestion.deletion_hold.most(state.active_count)
    return taking if held else []


def write_changes(state: ApplyState, *, by: Actor) -> int:
    """Write the changes, and move what exceeds the scratchpad's soft budget. Return how many changes were written."""
    given, now = state.given, state.now
    owner: dict[str, Any] = {"relationship_id": given.relationship_id, "project_id": given.project_id}
    revisions = change_entries(**owner, changes=state.changes, by=by, now=now)
    if revisions:
        written, at_most = {revision.entry_id for revision in revisions}, state.scratchpad_at_most
        overflow_scratchpad(**owner, ingestion=given.ingestion, at_most=at_most, written=written, now=now)
    return len(revisions)


def _settle(claim: Claim, state: ApplyState, log: CallLog, erased: Set[UUID]) -> bool:
    held = [result for result in state.results if result.verdict == Verdict.HELD]
    if held:
        waiting = HeldDeletion(
            relationship_id=state.given.relationship_id,
            project_id=state.given.project_id,
            turn_id=held[-1].turn_id,
        )
        waiting.save(force_insert=True)
        tell_outcome(claim.turns[0], state.now)
        for result in held:
            result.held_id = waiting.id
    return settle_turns(
        claim,
        TurnState.APPLIED,
        log=log,
        results=state.results,
        erased=erased,
        prompt_version=state.given.instructions.version,
    )
