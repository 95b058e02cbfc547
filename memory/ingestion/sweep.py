"""The sweep: finds due turns, and texts without a vector, for which there is no task.

A task is lost with the worker that took it, a retry becomes due without a task, and a lease may outlive its holder. All
of this can be read from the rows: so the sweep reads them about once a second, takes back dead leases, and enqueues
tasks.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from operator import itemgetter
from typing import Any
from uuid import UUID

import structlog
from django.conf import settings

from config.postgresql.citus import rows_of_each
from config.postgresql.sessions import execute
from memory.models import SearchText
from relationships.models import Project, Turn
from worker.enqueue import enqueue, enqueue_embedding
from worker.fairness import room_for
from worker.leases import take_back_dead
from worker.lost_nodes import among
from worker.owed_rows import models_owing
from worker.reminders import Reminders

log = structlog.get_logger(__name__)

# What is new was enqueued by its own transaction; give that a moment. Nothing enqueues a retry.
GRACE = timedelta(seconds=2)
ROWS_PER_PROJECT = 500
TASKS_PER_SWEEP, TEXT_TASKS_PER_SWEEP = 50, 20

# Project by project, so that no backlog hides another project. Served by the index turn_due_in_project. It resumes
# after the last row seen of a project, so that one relationship's backlog does not hide the others.
_DUE = """
SELECT due_at, relationship_id FROM relationships_turn
 WHERE project_id = {{project}} AND state = 'pending' AND due_at <= %(now)s
   AND (attempts > 0 OR due_at <= %(graced)s) AND (due_at, relationship_id) > ({{after_due}}, {{after_id}}){among}
 ORDER BY due_at, relationship_id LIMIT %(limit)s
"""
# A relationship needs a task only if its first open turn can be claimed: behind one that is being processed, or that
# waits for a retry, the others wait, too. Served by the index turn_open. In a distributed database only the shards that
# are named for each table are queried.
_HEADS = """
SELECT wanted.id, head.id, head.attempts
  FROM (SELECT id FROM relationships_relationship WHERE id = ANY(%(ids)s)) wanted, LATERAL (
       SELECT id, state, due_at, attempts FROM relationships_turn
        WHERE relationship_id = wanted.id AND relationship_id = ANY(%(ids)s) AND state IN ('pending', 'processing')
          AND (state = 'processing' OR due_at IS NOT NULL) ORDER BY seq LIMIT 1) head
 WHERE head.state = 'pending' AND head.due_at <= %(now)s
"""
# For each project, among the longest due texts, the longest due one of each relationship. Served by the index
# searchtext_owed_in_project.
_DUE_TEXTS = """
SELECT min(due_at) AS since, relationship_id FROM (
    SELECT relationship_id, due_at FROM memory_searchtext
     WHERE project_id = {{project}}{among} AND due_at <= %(now)s AND lease_token IS NULL
       AND (attempts > 0 OR due_at <= %(graced)s)
     ORDER BY due_at LIMIT %(limit)s) longest
 GROUP BY relationship_id
"""
_NEXT_DUE = "SELECT min(due_at) FROM relationships_turn WHERE state = 'pending' AND due_at > %(now)s"

_Each = Mapping[str, tuple[str, Sequence[Any]]]  # values by project: see rows_of_each
_Place = tuple[datetime, UUID]
_BEGINNING: _Place = (datetime.min.replace(tzinfo=UTC), UUID(int=0))


class Sweep:
    """The sweep. Between rounds it remembers where it stopped and what it enqueued."""

    def __init__(self) -> None:
        self._places: dict[UUID, _Place] = {}  # of projects with more due than one round looks at
        self._reminders, self._text_reminders = Reminders(), Reminders()

    def run(self, now: datetime) -> int:
        """Do one round, and return how many tasks were enqueued. One statement if nothing is due."""
        if not models_owing((Turn, SearchText), now, grace=0.0):
            return 0
        released = release_dead_leases(now)
        if released:
            log.info(
                "released expired leases", event_name="queue.leases.released", relationships=len(released)
            )
        room = room_for(list(Project.objects.values_list("id", flat=True)))
        enqueued = released | self._owed(room, now)
        owing = self.texts_owed(room, now)
        for relationship_id, project_id in enqueued.items():
            enqueue(relationship_id, project_id=project_id)
        for relationship_id, project_id in owing.items():
            enqueue_embedding(relationship_id, project_id=project_id)
        return len(enqueued) + len(owing)

    def seconds_to_rest(self, now: datetime) -> float:
        """Seconds until the next retry is due, at most SWEEP_SECONDS."""
        condition, reachable = among(Turn)
        next_due: datetime | None = execute(_NEXT_DUE + condition, {"now": now, **reachable})[0][0]
        rest = (next_due - now).total_seconds() if next_due else settings.SWEEP_SECONDS
        return float(min(settings.SWEEP_SECONDS, max(0.05, rest)))

    def release_dead(self, now: datetime) -> None:
        """Only take back dead leases, for a worker that stops."""
        release_dead_leases(now)

    def _owed(self, room: Mapping[UUID, int], now: datetime) -> dict[UUID, UUID]:
        """Relationships to enqueue, each with its project, as many as the project's queue has room for."""
        due = self._next_due([project for project, free in room.items() if free > 0], now)
        wanted = [each for of_one in due.values() for each in of_one]
        rows = execute(_HEADS, {"ids": wanted, "now": now}) if wanted else []
        heads = {owner: (turn_id, attempts) for owner, turn_id, attempts in rows}  # the first open turns
        owed = {
            project: [(each, heads[each]) for each in of_one if each in heads]
            for project, of_one in due.items()
        }
        return self._reminders.choose(owed, room, now, most=TASKS_PER_SWEEP)

    def texts_owed(self, room: Mapping[UUID, int], now: datetime) -> dict[UUID, UUID]:
        """The same for texts that owe a vector."""
        take_back_dead(SearchText.objects.all(), now, fields=("relationship", "id"))
        projects = [project for project, free in room.items() if free > 0]
        owed: dict[UUID, list[tuple[UUID, datetime]]] = {}
        for project, since, owner in _due_of(SearchText, _DUE_TEXTS, {"project": ("uuid", projects)}, now):
            owed.setdefault(project, []).append((owner, since))
        return self._text_reminders.choose(owed, room, now, most=TEXT_TASKS_PER_SWEEP)

    def _next_due(self, projects: Sequence[UUID], now: datetime) -> dict[UUID, list[UUID]]:
        """Relationships with due turns by project, from where the last round stopped; from the beginning after the
        last one.
        """
        places = [self._places.get(each, _BEGINNING) for each in projects]
        each: _Each = {
            "project": ("uuid", projects),
            "after_due": ("timestamptz", [due for due, _ in places]),
            "after_id": ("uuid", [owner for _, owner in places]),
        }
        rows: dict[UUID, list[_Place]] = {}
        for project, due_at, owner in _due_of(Turn, _DUE, each, now):
            rows.setdefault(project, []).append((due_at, owner))
        for project in projects:
            seen = rows.get(project, [])
            self._places.pop(project, None)
            if len(seen) == ROWS_PER_PROJECT:
                self._places[project] = seen[-1]
        return {project: list(dict.fromkeys(owner for _, owner in seen)) for project, seen in rows.items()}


def release_dead_leases(now: datetime) -> dict[UUID, UUID]:
    """Take back every turn whose holder is gone; return the relationships with due turns, with their projects."""
    turns = take_back_dead(Turn.objects.all(), now, fields=("relationship", "id", "project_id"), waits_on="")
    return {turn.relationship_id: turn.project_id for turn in turns}


def _due_of(model: type[Turn | SearchText], statement: str, each: _Each, now: datetime) -> list[Any]:
    """The rows of a statement, each after its project, in order of their other columns."""
    condition, reachable = among(model)
    told = {"now": now, "graced": now - GRACE, "limit": ROWS_PER_PROJECT, **reachable}
    return sorted(rows_of_each(statement.format(among=condition), each, told), key=itemgetter(1, 2))
