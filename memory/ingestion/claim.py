"""Claim turns of one relationship, in order, with a lease. (memory.ingestion.settle ends the claim.)

A claim is made under the relationship's row lock, so only one worker at a time reads a relationship. The sweep takes
back leases that ran out or whose worker died (memory.ingestion.sweep).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

import orjson
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from config.postgresql.rows import columns_of, take_instance
from config.postgresql.sessions import prepared_cursor
from memory.ingestion.batch_query import FACTS, Facts, facts_asked, facts_of
from relationships.configuration.cascade import valid_configuration
from relationships.configuration.schema import Configuration
from relationships.models import Turn, TurnState
from relationships.services.sequence import lock_relationship
from worker.models import WORKER_DIED, QueuedQuerySet
from worker.waiting import announce_settled

# When the process dies between a claim and its end, the sweep notes that on the turn.
ALONE_AFTER = 2  # such deaths
HOPELESS_AT_ONCE = 4  # turns that fail because of them, before the next one that can be read

# Called when turns failed for good or deletions were held, in that transaction and under the relationship's row lock,
# as no other listener is called then. Arguments: the IDs of relationship and project, and now.
outcome_listeners: list[Callable[[UUID, UUID, datetime], None]] = []

_MOST = 50 + HOPELESS_AT_ONCE  # rows that are read: the largest possible batch

# Locks the relationship and reads the levels, the due turns with how many bytes was said in each, and whether another
# worker holds a claim. It may not see what was written while it waited for the lock, so the next statement checks
# again. The commit does not wait for the disk: if a crash of the database loses the claim, its turns are just pending
# again. On Citus it does wait, as a shard that is moved takes along only what is on the disk.
_LOOK = f"""
SELECT set_config('synchronous_commit', CASE WHEN current_setting('citus.shard_count', true) IS NULL
                                             THEN 'off' ELSE current_setting('synchronous_commit') END, true),
       p.config::text, c.config::text, r.config::text,
       (SELECT min(seq) FROM relationships_turn
         WHERE relationship_id = %(one)s AND state = 'processing') IS NOT NULL,
       t.id, (SELECT sum(octet_length(content)) FROM relationships_message
               WHERE relationship_id = %(one)s AND turn_id = t.id),
       {columns_of(Turn, "t")}
  FROM relationships_relationship r
  JOIN relationships_companion c ON c.id = r.companion_id
  JOIN relationships_project p ON p.id = r.project_id
  LEFT JOIN LATERAL (SELECT * FROM relationships_turn
                      WHERE relationship_id = %(one)s AND state = 'pending' AND due_at IS NOT NULL
                      ORDER BY seq LIMIT {_MOST}) t ON true
 WHERE r.id = %(one)s ORDER BY t.seq FOR UPDATE OF r
"""  # noqa: S608 - columns of ours

# Like QueuedQuerySet.claim, but only if no other worker has a claim and no earlier turn was released meanwhile. It also
# returns what the turns are read with.
_TAKE = """
WITH taken AS (
    UPDATE relationships_turn
       SET state = 'processing', lease_token = %(token)s, leased_by = %(worker)s,
           lease_until = statement_timestamp() + make_interval(secs => %(lease)s),
           claimed_at = %(now)s
     WHERE relationship_id = %(relationship)s AND id = ANY(%(turns)s)
       AND state = 'pending' AND lease_token IS NULL AND due_at <= %(now)s
       AND (SELECT min(o.seq) FROM relationships_turn o
             WHERE o.relationship_id = %(relationship)s AND NOT o.id = ANY(%(turns)s)
               AND (o.state = 'processing'
                    OR (o.state = 'pending' AND o.due_at IS NOT NULL AND o.seq < %(before)s))) IS NULL
    RETURNING id)
SELECT (SELECT count(*) FROM taken), facts.* FROM (VALUES (1)) once LEFT JOIN ({facts}) facts ON true
"""
_TAKE_AND_READ = _TAKE.format(facts=FACTS)
_ONLY_TAKE = _TAKE.format(facts="SELECT 1")


@dataclass(frozen=True, slots=True)
class Claim:
    """Turns that this worker holds, in order of seq. `facts`: what they are read with, as of the claim; None: it has
    yet to be read.
    """

    relationship_id: UUID
    token: UUID
    turns: tuple[Turn, ...]
    facts: Facts | None = None


@transaction.atomic
def claim_turns(*, relationship_id: UUID, worker: str) -> Claim | None:
    """Claim the next batch of due turns. None: nothing is due, another worker holds a claim, or an earlier turn waits
    for another attempt.
    """
    with prepared_cursor() as cursor:
        cursor.execute(_LOOK, {"one": relationship_id})
        rows = cursor.fetchall()
    owed = [take_instance(Turn, iter(row[7:])) for row in rows if row[5] is not None]
    if not owed or rows[0][4]:
        return None
    # If it is invalid, that is reported when the turn is read.
    configuration = valid_configuration([*map(orjson.loads, rows[0][1:4]), owed[0].config])
    most: int = configuration.ingestion.max_batch if configuration else 1
    now = timezone.now()
    sizes = {row[5]: row[6] or 0 for row in rows}
    batch = _batch(_without_hopeless(owed[: most + HOPELESS_AT_ONCE]), sizes, now)[:most]
    if not batch:
        return None
    token = uuid4()
    taken, facts = _take(batch, configuration, token=token, worker=worker, now=now)
    if taken != len(batch):
        transaction.set_rollback(True)  # one was changed at this moment: the sweep finds it again
        return None
    return Claim(relationship_id, token, tuple(batch), facts)


def _take(
    batch: Sequence[Turn], configuration: Configuration | None, *, token: UUID, worker: str, now: datetime
) -> tuple[int, Facts | None]:
    """Claim the turns. Return how many were claimed and, if the configuration is valid, what they are read with."""
    own: dict[str, Any] = {"token": token, "lease": settings.LEASE_SECONDS, "worker": worker, "now": now}
    first = batch[0]
    own |= {"relationship": first.relationship_id, "turns": [turn.id for turn in batch], "before": first.seq}
    asked = facts_asked(batch, configuration) if configuration else {}
    with prepared_cursor() as cursor:
        cursor.execute(_TAKE_AND_READ if configuration else _ONLY_TAKE, own | asked)
        taken, *row = cursor.fetchone()
    if configuration is None or taken != len(batch):
        return taken, None
    return taken, facts_of(row, configuration, project_id=first.project_id, now=now)


def is_owed(relationship_id: UUID) -> bool:
    """Return whether a turn is due or will be. Without the lock, as later turns enqueue their own task."""
    waiting = Turn.objects.for_relationship(relationship_id)
    return waiting.filter(state=TurnState.PENDING, due_at__isnull=False).exists()


@transaction.atomic
def keep_lease(claim: Claim) -> bool:
    """Renew the lease of the turns that are not settled yet, from any thread. False: none is held any more."""
    if not lock_relationship(claim.relationship_id):
        return False
    rows = Turn.objects.for_relationship(claim.relationship_id)
    return bool(rows.renew(claim.token))


def held_turns(claim: Claim) -> QueuedQuerySet:
    turns = Turn.objects.for_relationship(claim.relationship_id).filter(
        id__in=[turn.id for turn in claim.turns]
    )
    return turns.held(claim.token)


def tell_outcome(turn: Turn, now: datetime) -> None:
    for listener in outcome_listeners:
        listener(turn.relationship_id, turn.project_id, now)


def _without_hopeless(ordered: Sequence[Turn]) -> Sequence[Turn]:
    """Fail the first turns if workers died on them too often (people can retry them); return the rest."""
    for place, turn in enumerate(ordered):
        if turn.error_code != WORKER_DIED or turn.attempts < settings.MAX_ATTEMPTS:
            return ordered[place:]
        error, now = f"{turn.attempts} workers died while they read this turn.", timezone.now()
        Turn.objects.for_relationship(turn.relationship_id).filter(id=turn.id).update(
            state=TurnState.FAILED, due_at=None, settled_at=now, error=error
        )
        announce_settled([turn.id])
        tell_outcome(turn, now)
    return []


def _batch(ordered: Sequence[Turn], sizes: Mapping[UUID, int], now: datetime) -> list[Turn]:
    """The first consecutive due turns with the same turn configuration, together no longer than one may be.

    After workers died on a batch its turns are read one by one, to find the one that causes it.
    """
    batch: list[Turn] = []
    left = settings.MAX_BODY_BYTES
    for turn in ordered:
        left -= sizes[turn.id]
        if batch and left < 0:
            break
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
