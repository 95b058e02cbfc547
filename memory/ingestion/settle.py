"""Ends claims of turns: settles them, releases them, or fails them, under the lock and while the lease holds."""

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
from providers.told import storable
from relationships.models import TurnState
from relationships.services.model_budgets import COUNT_SPENDING
from worker.leases import release_when_possible
from worker.waiting import CHANNEL, TELL_SETTLED

# The turns too: who takes them back from a worker that passes for dead does not ask for the relationship's lock.
_HOLD = """
WITH held AS MATERIALIZED (SELECT id FROM relationships_relationship WHERE id = %(relationship)s FOR UPDATE)
SELECT t.id FROM held, relationships_turn t
 WHERE t.relationship_id = held.id AND t.relationship_id = %(relationship)s AND t.id = ANY(%(turns)s)
   AND t.lease_token = %(token)s AND t.state = 'processing'
   FOR UPDATE OF t
"""

# What became of each operation, the calls and what they took, and the turns' own rows; then who waits for them is told.
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
       EXISTS (SELECT 1 FROM relationships_turn
                WHERE relationship_id = %(relationship)s AND state = 'pending' AND due_at IS NOT NULL)
"""  # noqa: S608 - statements of ours


def hold_claim(claim: Claim) -> None:
    """Lock the relationship and the turns, which are still ours then. Raises LeaseLost. In a transaction."""
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
    """The end of the claimed turns for now: gives the lease back, and stores the calls. Call after hold_claim.

    One statement, and late, as it locks the project's count. Whether another turn is owed: who accepts one
    later finds these settled, and says so by itself. `erased`: see take_calls. Raises LeaseLost where a turn is not
    held any more, lock or not: to apply it and leave it owed would have it applied twice.
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
    """Permanently: each steps aside, visibly, and can be retried by a person. Whether another turn is owed."""
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
    """Give turns back for another try, `delay` seconds from now. Until then they block the turns after them.

    `code` is why; without one they were not tried. `waits_on` is the provider that failed them.
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
    """After a crash: whatever of the claim is not settled is due again at once."""
    release_when_possible(lambda: held_turns(claim).release(due_at=timezone.now()))


def _named(claim: Claim) -> dict[str, Any]:
    ids = [turn.id for turn in claim.turns]
    return {"relationship": claim.relationship_id, "turns": ids, "token": claim.token}


def _with_calls(call_ids: Sequence[UUID]) -> Func:
    """A turn's model calls, and these."""
    ids = ArrayField(UUIDField())
    return Func(
        F("model_call_ids"), Value(list(call_ids), output_field=ids), function="array_cat", output_field=ids
    )
