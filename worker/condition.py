"""The state of the queue, read from the database alone, so that any process can report it for all.

Each statement uses a partial index or an estimate, and counting stops at a limit: a scrape costs the same whether the
table is empty or has millions of turns.

A turn is `due` when a worker could take it now: it is the first open one of its relationship. The turns after it wait
for whatever the first one waits for.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import lru_cache
from time import monotonic
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import DurationField, ExpressionWrapper, F
from django.db.models.functions import Now

from config.postgresql.citus import is_distributed, rows_of_each
from config.postgresql.sessions import execute
from worker.heartbeat import secret_in_use
from worker.models import WorkerHeartbeat

DUE = "due"  # no worker has taken it yet
READING = "reading"  # behind one that is being processed
COUNT_LIMIT = 10_000  # turns that each statement reads, those that wait longest first

# Turns that failed so far, and may be running again: a limited number for each cause (a provider, or a project's own)
# and project, so that none hides another. Served by the index turn_waiting_in_project.
_TRIED = "state IN ('pending', 'processing') AND waiting_since IS NOT NULL"
NEXT_CAUSE = f"""
SELECT waits_on FROM relationships_turn
 WHERE {_TRIED} AND (%(after)s::text IS NULL OR waits_on > %(after)s) ORDER BY waits_on LIMIT 1
"""  # noqa: S608 - a constant of ours
_OLDEST = f"""
SELECT error_code, waits_on, waiting_since FROM relationships_turn
 WHERE {_TRIED} AND waits_on = %(cause)s AND project_id = {{project}} ORDER BY waiting_since LIMIT %(limit)s
"""  # noqa: S608
TRIED = f"""
SELECT error_code, waits_on, count(*), extract(epoch FROM now() - min(waiting_since))::float8
  FROM ({_OLDEST}) oldest GROUP BY 1, 2
"""  # noqa: S608
# Due turns that were not tried yet. Served by turn_due; then, for each relationship among them, turn_open finds its
# first turn, and turn_seq_once the one before that, after whose end it could be claimed.
UNTRIED = """
WITH due AS (
    SELECT project_id, relationship_id FROM relationships_turn
     WHERE state = 'pending' AND due_at <= now() AND waiting_since IS NULL ORDER BY due_at LIMIT %(limit)s
), queue AS (
    SELECT project_id, relationship_id, count(*) AS turns FROM due GROUP BY 1, 2
)
SELECT q.project_id,
       CASE WHEN head.waiting_since IS NOT NULL THEN head.error_code
            WHEN head.state = 'processing' THEN %(reading)s ELSE %(due)s END,
       head.waits_on,
       sum(q.turns)::bigint,
       max(extract(epoch FROM now() - CASE WHEN head.waiting_since IS NOT NULL THEN head.waiting_since
            WHEN head.state = 'processing' THEN head.claimed_at
            ELSE greatest(head.due_at, before.settled_at) END))::float8
  FROM relationships_relationship r
  JOIN queue q ON q.relationship_id = r.id
 CROSS JOIN LATERAL (
       SELECT seq, state, due_at, claimed_at, waiting_since, waits_on, error_code FROM relationships_turn
        WHERE relationship_id = r.id AND state IN ('pending', 'processing')
          AND (state = 'processing' OR due_at IS NOT NULL) ORDER BY seq LIMIT 1) head
  LEFT JOIN LATERAL (
       SELECT settled_at FROM relationships_turn
        WHERE relationship_id = r.id AND seq < head.seq ORDER BY seq DESC LIMIT 1) before ON true
 GROUP BY 1, 2, 3
"""
# Projects that called a model today or yesterday, and those of them that had an answer recently.
ASKED = """
WITH asked AS (
    SELECT project_id, max(answered_at) AS answered_at FROM memory_modelspending
     WHERE day >= (now() AT TIME ZONE 'UTC')::date - 1
     GROUP BY day, project_id ORDER BY day DESC LIMIT %(limit)s
)
SELECT count(DISTINCT project_id),
       count(DISTINCT project_id) FILTER (WHERE answered_at > now() - %(lately)s)
  FROM asked
"""
# A turn that waits for its trigger (due_at null) waits for no worker. A wrong API key doesn't count as an attempt, but
# is a failure. The total number of turns is the planner's estimate, updated by autovacuum. Last, waiting tasks.
_COUNTS = """
WITH waiting AS (
    SELECT attempts, waiting_since FROM relationships_turn
     WHERE state = 'pending' AND due_at IS NOT NULL ORDER BY due_at LIMIT %(limit)s
)
SELECT (SELECT count(*) FROM waiting WHERE attempts = 0 AND waiting_since IS NULL),
       (SELECT count(*) FROM waiting WHERE attempts > 0 OR waiting_since IS NOT NULL),
       (SELECT count(*) FROM (
            SELECT 1 FROM relationships_turn WHERE state = 'pending' AND due_at IS NULL LIMIT %(limit)s) few),
       (SELECT count(*) FROM (
            SELECT 1 FROM relationships_turn WHERE state = 'processing' LIMIT %(limit)s) few),
       (SELECT count(*) FROM (
            SELECT 1 FROM relationships_turn WHERE state = 'failed' LIMIT %(limit)s) few),
       (SELECT greatest(coalesce(sum(reltuples), 0), 0)::bigint FROM pg_class
         WHERE oid = to_regclass('relationships_turn')),
       (SELECT count(*) FROM (
            SELECT 1 FROM django_q_ormq WHERE key = %(queue)s AND lock <= now() LIMIT %(limit)s) few)
"""
# The estimates of a distributed table are on its shards. Each of them is queried, so only now and then.
_STORED_ON_SHARDS = """
SELECT coalesce(sum(greatest(result::float8, 0)), 0)::bigint
  FROM run_command_on_shards('relationships_turn', 'SELECT reltuples FROM pg_class WHERE oid = ''%s''::regclass')
 WHERE success
"""
_STORED_SECONDS = 60.0
# Texts that owe a vector. One that waits for a retry still owes it, though it is not due; those are read separately, as
# any number of due ones comes before them.
_VECTORS = """
WITH owed AS (
    (SELECT due_at, error_code, lease_token FROM memory_searchtext
      WHERE due_at <= now() ORDER BY due_at LIMIT %(limit)s)
    UNION ALL
    (SELECT due_at, error_code, lease_token FROM memory_searchtext
      WHERE due_at > now() ORDER BY due_at LIMIT %(limit)s)
)
SELECT count(*), count(*) FILTER (WHERE error_code <> ''),
       extract(epoch FROM now() - min(due_at) FILTER (WHERE lease_token IS NULL))::float8
  FROM owed
"""
WORKER_LIMIT = 1000


@dataclass(frozen=True, slots=True)
class WorkerCondition:
    """One worker machine: seconds since its last sign of life, and what its pool counted since it started."""

    name: str
    beat_age_seconds: float
    pool_restarts: int
    counters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def alive(self) -> bool:
        return self.beat_age_seconds <= settings.HEARTBEAT_LIMIT_SECONDS

    @property
    def has_our_secret(self) -> bool:
        """Whether it has this process's secret key; True if it does not say."""
        ours = secret_in_use()
        return bool(self.counters.get("secret", ours) == ours)

    @property
    def clock_ahead(self) -> float:
        """Seconds by which its clock is ahead of the database's."""
        return float(self.counters.get("clock_ahead", 0.0))


@dataclass(frozen=True, slots=True)
class TurnCounts:
    """Turns by what they wait for. Each stops at COUNT_LIMIT; `stored` is an estimate of all there are."""

    due: int  # waiting for a worker
    retrying: int  # tried at least once, without success so far
    untriggered: int  # waiting for the trigger that the configuration names
    processing: int
    failed: int
    stored: int


@dataclass(frozen=True, slots=True)
class VectorCounts:
    """Texts that wait for a vector, and those of them that wait for a retry. Each count stops at COUNT_LIMIT.

    `oldest_seconds`: since when the oldest one has been due; 0 if none is.
    """

    owed: int = 0
    retrying: int = 0
    oldest_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Wait:
    """Turns of one project that wait for the same thing, the longest of them for `seconds`.

    `reason` is DUE, READING or the code of the failure; `provider` is the alias that failed, "" if the cause is the
    project's own.
    """

    project_id: UUID
    reason: str
    provider: str
    turns: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Asked:
    """How many projects called a model today or yesterday, and how many of them had an answer recently."""

    projects: int = 0
    answered: int = 0


@dataclass(frozen=True, slots=True)
class QueueCondition:
    """`waits`: what turns wait for, by project and reason."""

    turns: TurnCounts
    queued: int  # tasks that no worker has taken yet
    workers: tuple[WorkerCondition, ...]
    vectors: VectorCounts = VectorCounts()
    waits: tuple[Wait, ...] = ()
    asked: Asked = field(default_factory=Asked)

    @property
    def oldest_seconds(self) -> float:
        """How long the oldest due or retried turn has waited; 0 if there is none."""
        return max((wait.seconds for wait in self.waits), default=0.0)

    @property
    def beat_age_seconds(self) -> float | None:
        """The age of the newest heartbeat of any worker; None without workers."""
        return min((worker.beat_age_seconds for worker in self.workers), default=None)


def read_condition() -> QueueCondition:
    """The present condition. Raises django.db.Error."""
    told = {"limit": COUNT_LIMIT, "queue": str(settings.Q_CLUSTER["name"])}
    *turns, stored, queued = execute(_COUNTS, told)[0]
    owed, retrying, oldest = execute(_VECTORS, told)[0]
    turns.append(stored or _stored_on_shards(int(monotonic() / _STORED_SECONDS)))
    return QueueCondition(
        turns=TurnCounts(*turns),
        queued=queued,
        workers=read_workers(),
        vectors=VectorCounts(owed, retrying, max(0.0, oldest or 0.0)),
        waits=read_waits(),
        asked=read_asked(),
    )


def read_waits() -> tuple[Wait, ...]:
    """Each project and reason once. Three statements, and five for each provider waited on. Raises django.db.Error."""
    untried = execute(UNTRIED, {"limit": COUNT_LIMIT, "reading": READING, "due": DUE})
    return _merged(Wait(*row) for row in (*read_tried(COUNT_LIMIT), *untried))


def read_tried(limit: int) -> list[tuple[Any, ...]]:
    """Rows for Wait. Of each cause the longest waiting turns, `limit` in all, as many of each project that has some.

    Raises django.db.Error.
    """
    found: list[tuple[Any, ...]] = []
    cause, projects = None, list[UUID]()
    while causes := execute(NEXT_CAUSE, {"after": cause}):
        cause = causes[0][0]
        projects = projects or [row[0] for row in execute("SELECT id FROM relationships_project")]
        waiting = [row[0] for row in _of_each(_OLDEST, projects, cause, 1)]
        found += _of_each(TRIED, waiting, cause, max(1, limit // max(1, len(waiting))))
    return found


def _of_each(statement: str, projects: Sequence[UUID], cause: str, limit: int) -> list[tuple[Any, ...]]:
    return rows_of_each(statement, {"project": ("uuid", projects)}, {"cause": cause, "limit": limit})


def read_asked() -> Asked:
    """Count the projects. One statement; recently means OLDEST_TURN_LIMIT_SECONDS. Raises django.db.Error."""
    lately = timedelta(seconds=settings.OLDEST_TURN_LIMIT_SECONDS)
    return Asked(*execute(ASKED, {"limit": COUNT_LIMIT, "lately": lately})[0])


@lru_cache(maxsize=1)
def _stored_on_shards(minute: int) -> int:
    """The estimated number of stored turns; 0 if the database is not distributed. Cached for each `minute`."""
    if not is_distributed(connection):
        return 0
    stored: int = execute(_STORED_ON_SHARDS)[0][0]
    return stored


def read_workers() -> tuple[WorkerCondition, ...]:
    """The workers, the newest heartbeat first. One statement, which needs no node. Raises django.db.Error."""
    age = ExpressionWrapper(Now() - F("beat_at"), output_field=DurationField())
    rows = WorkerHeartbeat.objects.annotate(age=age).order_by("age")[:WORKER_LIMIT]
    return tuple(
        WorkerCondition(row.name, row.age.total_seconds(), row.pool_restarts, row.counters) for row in rows
    )


def _merged(waits: Iterable[Wait]) -> tuple[Wait, ...]:
    merged: dict[tuple[UUID, str, str], Wait] = {}
    for wait in waits:
        key = (wait.project_id, wait.reason, wait.provider)
        known = merged.get(key)
        if known is not None:
            wait = replace(wait, turns=wait.turns + known.turns, seconds=max(wait.seconds, known.seconds))
        merged[key] = wait
    return tuple(replace(wait, seconds=max(0.0, wait.seconds)) for wait in merged.values())
