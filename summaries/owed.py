"""Creates owed summaries, when there are enough messages or somebody asks, in the same transaction."""

from collections.abc import Collection, Sequence
from uuid import UUID

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from config.postgresql.sessions import execute
from memory.ingestion.intake import StoredTurn
from relationships.ids import uuid7
from relationships.models import Relationship
from relationships.services.configuration import configuration_of
from relationships.services.rows import require_lock
from summaries.models import Summary, SummaryState
from web.actor import Actor
from web.errors import Conflict
from worker.enqueue import enqueue_task

BY_POINT = Actor.policy("summaries")
TASK = "summaries.tasks.summarise"

# The first message, and the n-th for each point n. Erased messages keep their numbers.
_RANGES = """
SELECT messages, first_seq, last_seq
  FROM (SELECT row_number() OVER (ORDER BY seq) AS messages, seq AS last_seq,
               first_value(seq) OVER (ORDER BY seq) AS first_seq
          FROM relationships_message WHERE relationship_id = %(relationship)s) counted
 WHERE messages = ANY(%(points)s)
 ORDER BY messages
"""


def owe_at_points(stored: StoredTurn) -> None:
    """Owe a summary if a turn's messages reach one of the points, and those after the newest one that were missed."""
    options, count = stored.configuration.summaries, stored.message_count
    if stored.paused or not options.enabled:
        return
    if not options.points(after=count - len(stored.messages), upto=count):
        return
    known = Summary.objects.for_relationship(stored.turn.relationship_id).ready()
    newest = known.aggregate(messages=Max("messages"))["messages"] or 0
    owe(**stored.turn.owner, points=options.points(after=newest, upto=count), by=BY_POINT)


@transaction.atomic
def ask_for_summary(*, relationship: Relationship, by: Actor) -> Summary:
    """Owe a summary of all messages so far, or return an existing one. Raises Conflict, NotFound."""
    require_lock(relationship.id)
    if not configuration_of(relationship).values.summaries.enabled:
        raise Conflict("Summaries are off here: set summaries.enabled first.")
    relationship.refresh_from_db(fields=["message_count"])
    count = relationship.message_count
    if not count:
        raise Conflict("Nothing was said yet.")
    owe(**relationship.owner, points=[count], by=by)
    rows = Summary.objects.for_relationship(relationship.id).filter(messages=count)
    newest: Summary = rows.order_by("-version")[0]
    return owe_again([newest], by=by)[0] if newest.state == SummaryState.FAILED else newest


def owe(*, relationship_id: UUID, project_id: UUID, points: Collection[int], by: Actor) -> None:
    """Create missing rows and enqueue the task. Call under the relationship's row lock."""
    there = Summary.objects.for_relationship(relationship_id).filter(messages__in=points)
    if missing := set(points) - set(there.values_list("messages", flat=True)):
        ranges = execute(_RANGES, {"relationship": relationship_id, "points": list(missing)})
        names = ("messages", "first_seq", "last_seq")
        owner = {"relationship_id": relationship_id, "project_id": project_id}
        _store_owed(by, [Summary(**owner, **dict(zip(names, found, strict=True))) for found in ranges])


def owe_again(summaries: Sequence[Summary], *, by: Actor) -> list[Summary]:
    """Owe the next version of each summary, all of one relationship. Call under the relationship's row lock."""
    points = [summary.messages for summary in summaries]
    rows = Summary.objects.for_relationship(summaries[0].relationship_id).filter(messages__in=points)
    newest = dict(rows.order_by().values_list("messages").annotate(Max("version")))
    again = [Summary(**summary.place, version=newest[summary.messages] + 1) for summary in summaries]
    return _store_owed(by, again)


def _store_owed(by: Actor, rows: list[Summary]) -> list[Summary]:
    for row in rows:
        row.id, row.due_at = uuid7(), timezone.now()
        row.actor_kind, row.actor_id = by.kind, by.id
    Summary.objects.bulk_create(rows)
    enqueue_task(TASK, rows[0].relationship_id, project_id=rows[0].project_id)
    return rows
