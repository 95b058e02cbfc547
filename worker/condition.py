"""How the queue is doing, asked of the database alone, so that any process can answer for all of them.

Each statement is served by a partial index or an estimate, and counting stops at a limit: a scrape of a table
with millions of turns costs what one of an empty table does.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import DurationField, ExpressionWrapper, F
from django.db.models.functions import Now

from worker.models import WorkerHeartbeat
from worker.waits import COUNT_LIMIT, Asked, Wait, read_asked, read_waits

# A turn that waits for its trigger (due_at null) waits for nobody. A wrong key is no attempt, and yet one in vain.
_OPEN = """
WITH waiting AS (
    SELECT attempts, waiting_since FROM relationships_turn
     WHERE state = 'pending' AND due_at IS NOT NULL ORDER BY due_at LIMIT %(limit)s
)
SELECT count(*) FILTER (WHERE attempts = 0 AND waiting_since IS NULL),
       count(*) FILTER (WHERE attempts > 0 OR waiting_since IS NOT NULL)
  FROM waiting
"""
# Turns that wait for their trigger, that are being read, that failed; and nudges that nobody has taken.
_COUNTS = """
SELECT (SELECT count(*) FROM (
            SELECT FROM relationships_turn WHERE state = 'pending' AND due_at IS NULL LIMIT %(limit)s) few),
       (SELECT count(*) FROM (
            SELECT FROM relationships_turn WHERE state = 'processing' LIMIT %(limit)s) few),
       (SELECT count(*) FROM (
            SELECT FROM relationships_turn WHERE state = 'failed' LIMIT %(limit)s) few),
       (SELECT count(*) FROM (
            SELECT FROM django_q_ormq WHERE key = %(queue)s AND lock <= now() LIMIT %(limit)s) few)
"""
# Texts without their vector. One that is tried again is owed still, though it is not due.
_VECTORS = """
WITH owed AS (
    SELECT due_at, error_code, lease_token FROM memory_searchtext
     WHERE due_at IS NOT NULL ORDER BY due_at LIMIT %(limit)s
)
SELECT count(*), count(*) FILTER (WHERE error_code <> ''),
       extract(epoch FROM now() - min(due_at) FILTER (WHERE lease_token IS NULL))::float8
  FROM owed
"""
# The planner's own estimate, kept up by autovacuum.
_ROWS = """
SELECT greatest(sum(reltuples), 0)::bigint FROM pg_class
 WHERE oid = to_regclass('relationships_turn') OR oid IN (
       SELECT inhrelid FROM pg_inherits WHERE inhparent = to_regclass('relationships_turn'))
"""
WORKER_LIMIT = 1000


@dataclass(frozen=True, slots=True)
class WorkerCondition:
    """One worker machine: seconds since its last sign of life, and what its pool counted since it started."""

    name: str
    beat_age_seconds: float
    pool_restarts: int
    counters: Mapping[str, int] = field(default_factory=dict)

    @property
    def alive(self) -> bool:
        return self.beat_age_seconds <= settings.HEARTBEAT_LIMIT_SECONDS


@dataclass(frozen=True, slots=True)
class TurnCounts:
    """Turns by what they wait for. Each stops at COUNT_LIMIT; `stored` is an estimate of all there are."""

    due: int  # waiting for a worker
    retrying: int  # tried at least once, in vain so far
    untriggered: int  # waiting for the trigger that the configuration names
    processing: int
    failed: int
    stored: int


@dataclass(frozen=True, slots=True)
class VectorCounts:
    """Texts that wait for their vector, and those of them that wait for another try. Each stops at COUNT_LIMIT.

    `oldest_seconds`: how long the one that is due longest has been due; 0 if none is.
    """

    owed: int = 0
    retrying: int = 0
    oldest_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class QueueCondition:
    """`waits`: what turns wait for, by project and reason."""

    turns: TurnCounts
    queued: int  # nudges that no worker has taken yet
    workers: tuple[WorkerCondition, ...]
    vectors: VectorCounts = VectorCounts()
    waits: tuple[Wait, ...] = ()
    asked: Asked = field(default_factory=Asked)

    @property
    def oldest_seconds(self) -> float:
        """How long the oldest due or retried turn has been owed; 0 if none is."""
        return max((wait.seconds for wait in self.waits), default=0.0)

    @property
    def beat_age_seconds(self) -> float | None:
        """Of the worker heard last; None without any."""
        return min((worker.beat_age_seconds for worker in self.workers), default=None)


def read_condition() -> QueueCondition:
    """The present condition. Raises django.db.Error."""
    due, retrying = _row(_OPEN)
    untriggered, processing, failed, queued = _row(_COUNTS)
    turns = TurnCounts(
        due=due,
        retrying=retrying,
        untriggered=untriggered,
        processing=processing,
        failed=failed,
        stored=_row(_ROWS)[0] or 0,
    )
    return QueueCondition(
        turns=turns,
        queued=queued,
        workers=_workers(),
        vectors=_vectors(),
        waits=read_waits(),
        asked=read_asked(),
    )


def _vectors() -> VectorCounts:
    owed, retrying, oldest = _row(_VECTORS)
    return VectorCounts(owed, retrying, max(0.0, oldest or 0.0))


def _workers() -> tuple[WorkerCondition, ...]:
    age = ExpressionWrapper(Now() - F("beat_at"), output_field=DurationField())
    rows = WorkerHeartbeat.objects.annotate(age=age).order_by("age")[:WORKER_LIMIT]
    return tuple(
        WorkerCondition(row.name, row.age.total_seconds(), row.pool_restarts, row.counters) for row in rows
    )


def _row(statement: str) -> tuple[Any, ...]:
    with connection.cursor() as cursor:
        cursor.execute(statement, {"limit": COUNT_LIMIT, "queue": str(settings.Q_CLUSTER["name"])})
        row: tuple[Any, ...] = cursor.fetchone()
    return row
