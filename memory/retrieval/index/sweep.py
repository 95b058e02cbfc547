"""Find texts that owe vectors but have no task, as tasks get lost, and retries and leases become due."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Any
from uuid import UUID

from config.postgresql.citus import rows_of_each
from memory.models import SearchText
from worker.leases import take_back_dead
from worker.lost_nodes import among
from worker.reminders import Reminders

# A new text was enqueued by its change; give that a moment. Nothing enqueues a retry.
GRACE = timedelta(seconds=2)
ROWS_PER_PROJECT = 500
TASKS_PER_SWEEP = 20

# For each project, among the longest due texts, the longest due one of each relationship. Served by the index
# searchtext_owed_in_project.
_DUE = """
SELECT relationship_id, min(due_at) FROM (
    SELECT relationship_id, due_at FROM memory_searchtext
     WHERE project_id = {{project}}{among} AND due_at <= %(now)s AND lease_token IS NULL
       AND (attempts > 0 OR due_at <= %(graced)s)
     ORDER BY due_at LIMIT %(limit)s) longest
 GROUP BY relationship_id
"""


class VectorSweep:
    """The sweep of texts. Between rounds it remembers what it enqueued."""

    def __init__(self) -> None:
        self._reminders = Reminders()

    def due(self, room: Mapping[UUID, int], now: datetime) -> dict[UUID, UUID]:
        """Relationships to enqueue, each with its project, as many as the project's queue has room for."""
        take_back_dead(SearchText.objects.all(), now, fields=("relationship", "id"))
        owed: dict[UUID, list[tuple[UUID, datetime]]] = {}
        for project_id, relationship_id, since in _due([each for each in room if room[each] > 0], now):
            owed.setdefault(project_id, []).append((relationship_id, since))
        return self._reminders.choose(owed, room, now, most=TASKS_PER_SWEEP)


def _due(projects: Sequence[UUID], now: datetime) -> list[tuple[UUID, UUID, datetime]]:
    condition, reachable = among(SearchText)
    told: dict[str, Any] = {"now": now, "graced": now - GRACE, "limit": ROWS_PER_PROJECT, **reachable}
    return sorted(
        rows_of_each(_DUE.format(among=condition), {"project": ("uuid", projects)}, told), key=itemgetter(2)
    )
