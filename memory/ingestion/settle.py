"""End claims of turns: settle, release or fail them, under the lock and while the lease is held."""

from collections.abc import Sequence, Set
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db import transaction
from django.db.models import F, Func, UUIDField, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from config.postgresql.rows import insert_of, rows_text
from config.postgresql.sessions import prepared_cursor
from memory.errors import LeaseLost
from memory.ingestion.calls import CallLog, store_calls, take_calls
from memory.ingestion.claim import Claim, held_turns, tell_outcome
from memory.model_calls import INSERT_CALLS
from memory.models import OperationResult
from providers.reported import storable
from relationships.models import TurnState
from relationships.services.model_budgets import COUNT_SPENDING
from worker.leases import release_when_possible
from worker.waiting import CHANNEL, TELL_SETTLED

# The turns are locked, too, as taking them back from a dead worker does not take the relationship's lock.
_HOLD = """
WITH held AS MATERIALIZED (SELECT id FROM relationships_relationship WHERE id = %(relationship)s FOR UPDATE)
SELECT t.id FROM held, relationships_turn t
 WHERE t.relationship_id = held.id AND t.relationship_id = %(relationship)s AND t.id = ANY(%(turns)s)
   AND t.lease_token = %(token)s AND t.state = 'processing'
   FOR UPDATE OF t
"""

# Writes the operations' outcomes, the calls and their cost, and the turns' rows; then wakes those who wait for them.
_SETTLE = f"""
WITH results AS ({insert_of(OperationResult, "results")}),
     asked AS ({INSERT_CALLS}),
     spent AS ({COUNT_SPENDING}),
     settled AS (
         UPDATE relationships_turn
            SET state = %(state)s::text, settled_at = %(now)s, lease_token = NULL, lease_until = NULL, leased_by = '',
                waiting_since = NULL, waits_on = '', attempts = attempts + 1,
                model_call_ids = model_call_ids || %(call_ids)s::uuid[],
                prompt_version = coalesce(%(prompt_version)s::int, prompt_version),
                error_code = %(error_code)s, error = %(error)s,
                due_at = CASE WHEN %(state)s::text <> 'failed' THEN due_at END
          WHERE relationship_id = %(relationship)s AND id = ANY(%(turns)s) AND lease_token = %(token)s
            AND state = 'processing'
      RETURNING id)
SELECT (SELECT count({TELL_SETTLED}) FROM settled),
       (SELECT min(seq) FROM relationships_turn
         WHERE relationship_id = %(relationship)s AND state = 'pending' AND due_at IS NOT NULL) IS NOT NULL
"""  # noqa: S608 - statements of ours


def hold_claim(claim: Claim) -> None:
    """Lock the relationship and the turns, and check that they are still held. In a transaction. Raises LeaseLost."""
    with prepared_cursor() as cursor:
        cursor.execute(_HOLD, _named(claim))
        if len(cursor.fetchall()) != len(claim.turns):
            raise LeaseLost("Another worker has taken these turns over, or the relationship was erased.")


def settle_turns(
    claim: Claim,
    state: TurnState,
    *,
    log: CallLog,
    results: Sequence[OperationResult] = (),
    erased: Set[UUID] | None = None,
    prompt_version: int | None = None,
    error_code: str = "",
    error: str = "",
) -> bool:
    """Set the final state of the claimed turns, release the lease, and store the calls. Return whether another turn is
    owed; one that is accepted later enqueues its own task.

    One statement. Call it after hold_claim, and late, as it locks the project's spending. `erased`: see take_calls.
    Raises LeaseLost if a turn is not held any more in spite of the lock, as it would be applied twice.
    """
    now = timezone.now()
    calls, figures = take_calls(log, project_id=claim.turns[0].project_id, now=now, erased=erased)
    values: dict[str, Any] = {
        "state": str(state),
        "now": now,
        "channel": CHANNEL,
        "results": rows_text(results),
        "asked": rows_text(calls),
        "call_ids": log.ids,
        "prompt_version": prompt_version,
        "error_code": error_code,
        "error": error,
    }
    with prepared_cursor() as cursor:
        cursor.execute(_SETTLE, {**figures, **values, **_named(claim)})
        settled, owed = cursor.fetchone()
    if settled != len(claim.turns):
        raise LeaseLost("A turn of the batch is not held any more.")
    return bool(owed)


@transaction.atomic
def fail_turns(claim: Claim, *, code: str, error: str, log: CallLog) -> bool:
    """Fail the turns for good; a person can retry them. Return whether another turn is owed."""
    hold_claim(claim)
    tell_outcome(claim.turns[0], timezone.now())
    return settle_turns(claim, TurnState.FAILED, log=log, error_code=code, error=storable(error)[:2000])


@transaction.atomic
def release_turns(
    claim: Claim,
    *,
    code: str = "",
    error: str = "",
    delay: float = 0.0,
    counted: bool = False,
    waits_on: str = "",
    log: CallLog | None = None,
) -> None:
    """Release turns for another attempt, `delay` seconds from now. Until then they block the turns after them.

    `code` is the reason; without one they were not tried. `waits_on`: the provider that failed.
    """
    hold_claim(claim)
    if log is not None:
        store_calls(log, now=timezone.now())
    now = timezone.now()
    held_turns(claim).release(
        due_at=now + timedelta(seconds=delay),
        counted=counted,
        code=code,
        error=storable(error)[:2000],
        waiting_since=Coalesce("waiting_since", now) if code else None,
        waits_on=waits_on,
        model_call_ids=_with_calls(log.ids if log else ()),
    )


@transaction.atomic
def keep_calls(claim: Claim, log: CallLog) -> None:
    """Store the calls of a batch that is read again, and note them on its turns."""
    if not log.ids:
        return
    hold_claim(claim)
    store_calls(log, now=timezone.now())
    held_turns(claim).update(model_call_ids=_with_calls(log.ids))


def hand_back(claim: Claim) -> None:
    """After a crash, make what is not settled due again at once."""
    release_when_possible(lambda: held_turns(claim).release(due_at=timezone.now()))


def _named(claim: Claim) -> dict[str, Any]:
    ids = [turn.id for turn in claim.turns]
    return {"relationship": claim.relationship_id, "turns": ids, "token": claim.token}


def _with_calls(call_ids: Sequence[UUID]) -> Func:
    """An expression for a turn's model calls plus these."""
    ids = ArrayField(UUIDField())
    return Func(
        F("model_call_ids"), Value(list(call_ids), output_field=ids), function="array_cat", output_field=ids
    )
