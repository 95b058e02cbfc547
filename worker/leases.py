"""Who holds a row that owes work, and how it comes back when its holder is gone.

A row is owed again when its lease ran out, and at once when its holder is known to be dead: its process is gone from
this machine, or its machine has a heartbeat that stopped. A holder that was only slow finds its lease token gone and
may not write.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.conf import settings

from worker.fairness import in_turn_by_project
from worker.heartbeat import silent_machines
from worker.identity import is_dead, machine_of
from worker.models import QueuedQuerySet

# What was just made was enqueued by its own transaction; give that a moment.
GRACE_SECONDS = 5.0


def take_back_dead(rows: QueuedQuerySet, now: datetime, **values: Any) -> list[Any]:
    """Make due again those of `rows` whose holder is gone, and count that as a try in vain. `values`: see take_back."""
    holders = list(rows.held().order_by().values_list("leased_by", flat=True).distinct())
    if not holders:
        return []
    silent = silent_machines(settings.HEARTBEAT_LIMIT_SECONDS)
    return rows.take_back(holders=[name for name in holders if _is_gone(name, silent)], now=now, **values)


def postpone_overdue(rows: QueuedQuerySet, now: datetime, *, most: int) -> list[Any]:
    """Rows that nobody took, those of each project in turn, to be enqueued again. Inside a transaction.

    They count as due from now on, so that the rest have their turn and a full queue is not filled further.
    """
    overdue = rows.overdue(now, seconds=GRACE_SECONDS)
    chosen = [row.pk for row in in_turn_by_project(overdue, most=most)]
    free = overdue.filter(pk__in=chosen).select_for_update(skip_locked=True)
    return rows.filter(pk__in=free.values("pk")).update_returning(due_at=now)


def _is_gone(holder: str, silent: Collection[str]) -> bool:
    """On this machine we can look; of another one only its silence tells."""
    known = is_dead(holder)
    return machine_of(holder) in silent if known is None else known
