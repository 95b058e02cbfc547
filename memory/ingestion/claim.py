"""Takes turns of one relationship, in order, for as long as a lease lasts; and settles them.

A claim is made under the relationship's row lock, so one worker at a time reads a relationship; a lease that ran out or
whose worker died is taken back by the sweep (memory.ingestion.sweep).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import monotonic, sleep
from typing import Any
from uuid import UUID

import orjson
from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import Error as DatabaseError
from django.db import connection, transaction
from django.db.models import F, Func, UUIDField, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from memory.errors import LeaseLost
from memory.ingestion.calls import CallLog, storable, store_calls
from relationships.configuration.cascade import resolve_configuration
from relationships.models import Turn, TurnState
from relationships.services.sequence import lock_relationship
from web.errors import InvalidConfiguration
from worker.models import WORKER_DIED, QueuedQuerySet, lease_end
from worker.waiting import announce_settled

# Of a lease's time: so soon after the claim it is not renewed.
FRESH_SHARE = 0.05

# Between a claim and its end the process was killed, or killed itself: the sweep says so on the turn.
ALONE_AFTER = 2  # such deaths
HOPELESS_AT_ONCE = 4  # turns that fail because of them, before the next one that can be read
_HAND_BACK_SECONDS, _PAUSE_SECONDS = 60.0, 0.5

# Whether somebody is at it; the first turn's own configuration, if one is owed; and the levels below that.
HEAD = """
SELECT EXISTS (SELECT 1 FROM relationships_turn WHERE relationship_id = %(id)s AND state = 'processing'),
       (SELECT config::text FROM relationships_turn
         WHERE relationship_id = %(id)s AND state = 'pending' AND due_at IS NOT NULL ORDER BY seq LIMIT 1),
       p.config::text, c.config::text, r.config::text
  FROM relationships_relationship r
  JOIN relationships_companion c ON c.id = r.companion_id
  JOIN relationships_project p ON p.id = r.project_id
 WHERE r.id = %(id)s
"""


@dataclass(frozen=True, slots=True)
class Claim:
    """Turns that this worker holds, in order of seq. `fresh_until`: so long the lease needs no renewal."""

    relationship_id: UUID
    token: UUID
    turns: tuple[Turn, ...]
    fresh_until: datetime


@transaction.atomic
def claim_turns(*, relationship_id: UUID, worker: str) -> Claim | None:
    """The next batch of due turns, or None: nothing is due, somebody is at it, or an earlier turn waits to retry."""
    _leave_the_disk_behind()
    if not lock_relationship(relationship_id):
        return None
    most = _most_at_once(relationship_id)
    if not most:
        return None
    now = timezone.now()
    waiting = Turn.objects.for_relationship(relationship_id)
    owed = waiting.filter(state=TurnState.PENDING, due_at__isnull=False).order_by("seq")
    batch = _batch(_without_hopeless(list(owed[: most + HOPELESS_AT_ONCE])), now)[:most]
    if not batch:
        return None
    rows = waiting.filter(id__in=[turn.id for turn in batch])
    lease = rows.claim(worker=worker, now=now, in_order=True, fields=("relationship", "id"), claimed_at=now)
    if lease is None or len(lease.rows) != len(batch):
        transaction.set_rollback(True)  # one of them was changed at this moment: the sweep comes back to it
        return None
    fresh_until = now + timedelta(seconds=settings.LEASE_SECONDS * FRESH_SHARE)
    return Claim(relationship_id, lease.token, tuple(batch), fresh_until)


def is_owed(relationship_id: UUID) -> bool:
    """Whether a turn waits to be read. One look without the lock: whoever accepts a turn later says so by itself."""
    waiting = Turn.objects.for_relationship(relationship_id)
    return waiting.filter(state=TurnState.PENDING, due_at__isnull=False).exists()


def renew_lease(claim: Claim) -> None:
    """Hold on for another while, before a call; a lease just taken is as good. Raises LeaseLost."""
    if timezone.now() < claim.fresh_until:
        return
    if _held(claim).update(lease_until=lease_end(timezone.now())) != len(claim.turns):
        raise LeaseLost("Another worker has taken these turns over.")


@transaction.atomic
def keep_lease(claim: Claim) -> bool:
    """Hold on for another while to what is not settled yet, from any thread. False: nothing of it is ours."""
    if not lock_relationship(claim.relationship_id):
        return False
    rows = Turn.objects.for_relationship(claim.relationship_id)
    return bool(rows.renew(claim.token, now=timezone.now()))


def hold_claim(claim: Claim) -> None:
    """Lock the relationship and the turns, which are still ours then. Raises LeaseLost. In a transaction.

    The turns too: who takes them back from a worker that passes for dead does not ask for the relationship's lock.
    """
    if not lock_relationship(claim.relationship_id):
        raise LeaseLost("The relationship was erased.")
    if len(_held(claim).select_for_update().values_list("id")) != len(claim.turns):
        raise LeaseLost("Another worker has taken these turns over.")


def settle_turns(claim: Claim, state: TurnState, *, call_ids: Sequence[UUID], **values: Any) -> None:
    """The end of the claimed turns for now: gives the lease back. Call after hold_claim."""
    _held(claim).settle(
        state=state,
        settled_at=timezone.now(),
        waiting_since=None,
        waits_on="",
        attempts=F("attempts") + 1,
        model_call_ids=_with_calls(call_ids),
        **values,
    )
    announce_settled(turn.id for turn in claim.turns)


@transaction.atomic
def fail_turns(claim: Claim, *, code: str, error: str, log: CallLog | None) -> None:
    """Permanently: each steps aside, visibly, and can be retried by a person."""
    hold_claim(claim)
    if log is not None:
        store_calls(log, now=timezone.now())
    settle_turns(
        claim,
        TurnState.FAILED,
        call_ids=log.ids if log else (),
        error_code=code,
        error=storable(error)[:2000],
        due_at=None,
    )


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
    _held(claim).release(
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
    _held(claim).update(model_call_ids=_with_calls(log.ids))


def hand_back(claim: Claim) -> None:
    """After a crash: whatever of the claim is not settled is due again at once.

    Waits a while for a database that is away, as there is nothing better to do; then the lease has its end.
    """
    until = monotonic() + _HAND_BACK_SECONDS
    while True:
        try:
            if not connection.in_atomic_block:
                connection.close()
            _held(claim).release(due_at=timezone.now())
        except DatabaseError:
            if monotonic() > until:
                return
            sleep(_PAUSE_SECONDS)
        else:
            return


def _leave_the_disk_behind() -> None:
    """In this transaction, don't wait until the commit is on the disk: a claim that a crash of the database takes
    away leaves its turns pending, as if it had never been.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = off")


def _held(claim: Claim) -> QueuedQuerySet:
    turns = Turn.objects.for_relationship(claim.relationship_id).filter(
        id__in=[turn.id for turn in claim.turns]
    )
    return turns.held(claim.token)


def _without_hopeless(ordered: Sequence[Turn]) -> Sequence[Turn]:
    """Without the first turns, if workers died over them too often: those fail, and can be retried by a person."""
    for place, turn in enumerate(ordered):
        if turn.error_code != WORKER_DIED or turn.attempts < settings.MAX_ATTEMPTS:
            return ordered[place:]
        error = f"{turn.attempts} workers died while they read this turn."
        Turn.objects.for_relationship(turn.relationship_id).filter(id=turn.id).update(
            state=TurnState.FAILED, due_at=None, settled_at=timezone.now(), error=error
        )
        announce_settled([turn.id])
    return []


def _batch(ordered: Sequence[Turn], now: datetime) -> list[Turn]:
    """The first turns that are due one after the other and are read under the same turn configuration.

    After workers died over a batch its turns are read one by one, so that the one to blame is found.
    """
    batch: list[Turn] = []
    for turn in ordered:
        if (
            batch
            and WORKER_DIED in (turn.error_code, batch[0].error_code)
            and batch[0].attempts >= ALONE_AFTER
        ):
            break
        if turn.due_at is None or turn.due_at > now or turn.config != ordered[0].config:
            break
        batch.append(turn)
    return batch


def _most_at_once(relationship_id: UUID) -> int:
    """How many turns may be one batch, as the first one has it; 0: none is owed, or somebody is at it."""
    with connection.cursor() as cursor:
        cursor.execute(HEAD, {"id": relationship_id})
        busy, turn, *levels = cursor.fetchone()
    if busy or turn is None:
        return 0
    project, companion, relationship, turn = map(orjson.loads, (*levels, turn))
    try:
        resolved = resolve_configuration(
            project=project, companion=companion, relationship=relationship, turn=turn
        )
    except InvalidConfiguration:
        return 1  # whoever reads it says what is wrong, on the turn
    most: int = resolved.values.ingestion.max_batch
    return most


def _with_calls(call_ids: Sequence[UUID]) -> Func:
    """A turn's model calls, and these."""
    ids = ArrayField(UUIDField())
    return Func(
        F("model_call_ids"), Value(list(call_ids), output_field=ids), function="array_cat", output_field=ids
    )
