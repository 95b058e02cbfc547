"""Who holds a turn, and how it comes back when its holder is gone.

A worker that claims a turn writes its name and a time limit into the turn's row. The turn goes back to
`pending` when the limit passes, and at once when the holder is known to be dead: its process is gone from
this machine, or its machine has a heartbeat that stopped. It keeps its `seq`, so the order stands; a holder
that was only slow finds its lease token gone and may not write.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import connection

from memory.queue.heartbeat import silent_machines
from memory.queue.identity import is_dead, machine_of, worker_identity
from relationships.models import Turn, TurnState

__all__ = ["is_dead", "release_dead_leases", "release_leases_of", "worker_identity"]

WORKER_DIED = (
    "worker_died"  # error_code of a turn whose reader ended; a turn that ends every reader is found by it
)
Released = dict[UUID, UUID]  # relationships, each with its project

_RELEASE = """
UPDATE relationships_turn
   SET state = 'pending', due_at = %(now)s, lease_token = NULL, lease_until = NULL, leased_by = '',
       attempts = attempts + %(deaths)s, error_code = CASE WHEN %(deaths)s > 0 THEN %(died)s ELSE error_code END,
       waits_on = CASE WHEN %(deaths)s > 0 THEN '' ELSE waits_on END
 WHERE state = 'processing' AND (lease_until <= %(expired)s OR leased_by = ANY (%(holders)s))
RETURNING relationship_id, project_id
"""


def release_dead_leases(now: datetime) -> Released:
    """Take back every turn whose holder is gone, and count the death. The relationships that have something to do."""
    leased = Turn.objects.filter(state=TurnState.PROCESSING)
    holders: list[str] = list(leased.order_by().values_list("leased_by", flat=True).distinct())
    if not holders:
        return {}
    silent = silent_machines(settings.HEARTBEAT_LIMIT_SECONDS)
    dead = [name for name in holders if _is_gone(name, silent)]
    return _release(now=now, expired=now, holders=dead, deaths=1)


def release_leases_of(holders: Sequence[str], *, now: datetime) -> Released:
    """Take back what these processes hold, whether they live or not. The relationships it was."""
    return _release(now=now, expired=None, holders=holders, deaths=0)


def _is_gone(holder: str, silent: Collection[str]) -> bool:
    """On this machine we can look; of another one only its silence tells."""
    known = is_dead(holder)
    return machine_of(holder) in silent if known is None else known


def _release(*, now: datetime, expired: datetime | None, holders: Sequence[str], deaths: int) -> Released:
    told = {"now": now, "expired": expired, "holders": list(holders), "deaths": deaths, "died": WORKER_DIED}
    with connection.cursor() as cursor:
        cursor.execute(_RELEASE, told)
        return dict(cursor.fetchall())
