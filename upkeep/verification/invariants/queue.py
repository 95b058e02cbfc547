from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from config.postgresql.sessions import execute
from memory.ingestion.intake import retry_turn
from memory.ingestion.sweep import release_dead_leases
from memory.models import SearchText
from upkeep.verification.invariant import Finding, Invariant, Page, Problem
from worker.enqueue import enqueue, enqueue_embedding
from worker.fairness import project_of
from worker.leases import take_back_dead
from worker.models import WORKER_DIED

# Many times as long as the sweep takes to find them.
LONG = timedelta(minutes=15)
BUSY = 50  # waiting tasks: the pool is busy, so due rows may have to wait

# Only if a worker runs and is not busy. Without a worker nothing finds due rows, and starting one is all it needs.
_ROWS = """
WITH idle AS MATERIALIZED (
    SELECT EXISTS (SELECT 1 FROM relationships_workerheartbeat
                    WHERE beat_at > now() - make_interval(secs => %(silence)s))
       AND (SELECT count(*) FROM (SELECT 1 FROM django_q_ormq WHERE key = %(queue)s LIMIT %(busy)s) q) < %(busy)s AS so
)
SELECT 'not_taken_back', relationship_id, id, '' FROM relationships_turn
 WHERE relationship_id = ANY(%(ids)s) AND state = 'processing' AND lease_until < %(long_ago)s
   AND (SELECT so FROM idle)
UNION ALL
SELECT 'forgotten', w.id, head.id, ''
  FROM (SELECT id FROM relationships_relationship WHERE id = ANY(%(ids)s)) w, LATERAL (
       SELECT id, state, due_at FROM relationships_turn
        WHERE relationship_id = w.id AND state IN ('pending', 'processing')
          AND (state = 'processing' OR due_at IS NOT NULL) ORDER BY seq LIMIT 1) head
 WHERE head.state = 'pending' AND head.due_at < %(long_ago)s AND (SELECT so FROM idle)
UNION ALL
SELECT 'waits_for_nothing', t.relationship_id, t.id, '' FROM relationships_turn t
 WHERE t.relationship_id = ANY(%(ids)s) AND t.state = 'pending' AND t.due_at IS NULL
   AND (t.waits_for = '' OR t.waits_for = 'session_end' AND NOT EXISTS (
        SELECT 1 FROM relationships_sessionstate s
         WHERE s.relationship_id = t.relationship_id AND s.session = t.session))
UNION ALL
SELECT 'put_off', relationship_id, id, '' FROM relationships_turn
 WHERE relationship_id = ANY(%(ids)s) AND state = 'pending' AND due_at > %(far)s AND error_code IN ('', %(died)s)
UNION ALL
SELECT 'texts_forgotten', s.relationship_id, NULL, '' FROM memory_searchtext s
 WHERE s.relationship_id = ANY(%(ids)s) AND s.due_at < %(long_ago)s AND (SELECT so FROM idle)
   AND (s.lease_until IS NULL OR s.lease_until < %(long_ago)s)
 GROUP BY s.relationship_id
"""
_FALL_DUE = """
UPDATE memory_searchtext SET due_at = %(now)s WHERE relationship_id = %(owner)s AND due_at < %(now)s
"""


class QueueInvariant(Invariant):
    slug = "queue"
    promise = (
        "What is owed is done or waits for something: no turn and no text is stuck while a worker is idle."
    )

    problems = (
        Problem("not_taken_back", "the lease of a turn is over for long, and nobody took it back"),
        Problem(
            "forgotten", "a turn is due for long and is the next of its relationship, yet nobody reads it"
        ),
        Problem("waits_for_nothing", "a turn waits for a trigger or session that will never come"),
        Problem(
            "put_off",
            "a turn that was not tried in vain waits for a time far ahead, of a clock that was wrong",
        ),
        Problem("texts_forgotten", "texts are due for long to be embedded, and nobody does"),
    )
    statements = (_ROWS,)

    def told(self, page: Page, *, now: datetime) -> dict[str, Any]:
        return {
            "long_ago": now - LONG,
            "far": now + LONG,
            "died": WORKER_DIED,
            "silence": settings.HEARTBEAT_LIMIT_SECONDS,
            "queue": str(settings.Q_CLUSTER["name"]),
            "busy": BUSY,
        }

    def repair(self, owner_id: Any, findings: Sequence[Finding], *, now: datetime) -> None:
        """Make the rows due now and enqueue a task, as the sweep should have done."""
        for finding in findings:
            if finding.problem.slug == "not_taken_back":
                release_dead_leases(now)
                enqueue(owner_id, project_id=project_of(owner_id))
            elif finding.problem.slug == "texts_forgotten":
                take_back_dead(
                    SearchText.objects.for_relationship(owner_id), now, fields=("relationship", "id")
                )
                execute(_FALL_DUE, {"owner": owner_id, "now": now})
                enqueue_embedding(owner_id, project_id=project_of(owner_id))
            elif finding.row_id is not None:
                retry_turn(relationship_id=owner_id, turn_id=finding.row_id)
