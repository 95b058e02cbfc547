"""Which project is served next: the one that was served least recently. All code that decides this is here.

Waiting tasks have a place, and the lowest is claimed first. A project's first waiting task gets the place that is being
served just now, each further one the place after the project's last: start-time fair queueing (Goyal et al., 1996) with
tasks of one size. So 5,000 tasks of one project take 5,000 places, and another's single task stands beside the first of
them. With nothing waiting the places go on from the table's own row numbers, which no place is ever ahead of: a
transaction that commits late is never behind those that came after it.

Tasks are of one size because whoever does one stops after a batch when others wait (`gives_way`). Transactions
that enqueue for one project at the same moment don't see each other and take the same place: its share may be as many
times too large as it has requests in hand, and no lock is held for it.

Enqueueing, claiming and looking at the head are index probes, however much waits: rapport_queue_fair
(key, fair_place, id) and rapport_queue_project (key, project_id, fair_place), worker/migrations/0002.
"""

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from time import monotonic
from typing import Any, TypeVar
from uuid import UUID

from django.conf import settings
from django.db.models import F, QuerySet, Window
from django.db.models.functions import RowNumber

from config.postgresql.sessions import execute
from worker import worker_stats

Row = TypeVar("Row")

NOBODY = UUID(int=0)  # the project of tasks that belong to none
MOST_SECONDS = 60.0  # after which a task leaves the rest to another, so that no relationship starves others
ENOUGH_QUEUED = 50  # waiting tasks of a project, above which the sweep adds none

ENQUEUE = """
WITH task AS (
    INSERT INTO django_q_ormq (key, payload, lock, project_id, fair_place)
    SELECT %(key)s, %(payload)s, now(), %(project)s, coalesce(
        (SELECT max(fair_place) + 1 FROM django_q_ormq WHERE key = %(key)s AND project_id = %(project)s),
        (SELECT min(fair_place) FROM django_q_ormq WHERE key = %(key)s),
        pg_sequence_last_value(pg_get_serial_sequence('django_q_ormq', 'id')::regclass),
        0)
    RETURNING id)
SELECT id, pg_notify(%(channel)s, '') FROM task
"""
# This transaction does not wait for the disk: if a crash of the database brings a claimed task back, it is merely done
# twice. It is set for the transaction, as behind a pooler the session is shared.
CLAIM = """
DELETE FROM django_q_ormq WHERE id = ANY (ARRAY(
    SELECT id FROM django_q_ormq WHERE key = %s AND lock <= now() ORDER BY fair_place, id LIMIT %s
       FOR UPDATE SKIP LOCKED
)) AND (SELECT set_config('synchronous_commit', 'off', true)) = 'off' RETURNING fair_place, id, payload
"""
# The place of the next task. While no worker claims, it stays the same, whatever is enqueued.
HEAD_AGE = """
SELECT extract(epoch FROM now() - lock)::float8 FROM django_q_ormq
 WHERE key = %s AND lock <= now() ORDER BY fair_place, id LIMIT 1
"""
_QUEUED = """
SELECT p.id, (SELECT count(*) FROM (
           SELECT 1 FROM django_q_ormq WHERE key = %(key)s AND project_id = p.id LIMIT %(enough)s) q)
  FROM unnest(%(projects)s::uuid[]) AS p (id)
"""
_WHOSE = "SELECT project_id FROM relationships_relationship WHERE id = %s"


class RoundRobin:
    """Chooses from the due rows of several projects: the first of each before the second of any.

    The next choice begins after the project at which this one stopped.
    """

    def __init__(self) -> None:
        self._last = NOBODY

    def choose(self, owed: Mapping[UUID, Sequence[Row]], *, most: int) -> list[tuple[UUID, Row]]:
        """Choose at most `most` rows, each with its project."""
        ids = sorted(owed)
        start = bisect_right(ids, self._last)
        order = ids[start:] + ids[:start]
        longest = max(map(len, owed.values()), default=0)
        places = ((place, key) for place in range(longest) for key in order if place < len(owed[key]))
        chosen = [(key, owed[key][place]) for place, key in islice(places, most)]
        self._last = chosen[-1][0] if chosen else self._last
        return chosen


def others_wait() -> bool:
    """Return whether to stop after this batch and queue up again. Whenever tasks wait in the table, the pool also has
    tasks that no process has taken, so it is enough to check for those. False outside a worker."""
    return worker_stats.tasks_wait()


def gives_way(began: float) -> bool:
    """Return whether a task that began then (monotonic seconds) leaves the rest to another: its time is over, or others
    wait.
    """
    return monotonic() - began > MOST_SECONDS or others_wait()


def project_of(relationship_id: UUID) -> UUID:
    """The project of a relationship; NOBODY if it is erased."""
    rows = execute(_WHOSE, [relationship_id])
    return rows[0][0] if rows else NOBODY


def room_for(project_ids: Collection[UUID]) -> dict[UUID, int]:
    """How many more tasks of each project are worth queueing."""
    told = {"key": settings.Q_CLUSTER["name"], "enough": ENOUGH_QUEUED, "projects": list(project_ids)}
    return {project_id: ENOUGH_QUEUED - queued for project_id, queued in execute(_QUEUED, told)}


def in_turn_by_project(rows: QuerySet[Any], *, most: int) -> QuerySet[Any]:
    """Order rows: the longest due one of each project before the second longest of any."""
    place = Window(RowNumber(), partition_by=F("project_id"), order_by=F("due_at").asc())
    chosen: QuerySet[Any] = rows.annotate(place_in_project=place).order_by("place_in_project", "due_at")[
        :most
    ]
    return chosen
