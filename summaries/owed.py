"""What makes a summary owed: enough messages, or somebody who asks for one. The row is written in that transaction."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from django.db import transaction
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

# Which messages are the first, and the last of so many. They keep their numbers when they are erased.
_RANGE = """
SELECT (SELECT min(seq) FROM relationships_message WHERE relationship_id = %(relationship)s),
       (SELECT seq FROM relationships_message WHERE relationship_id = %(relationship)s
         ORDER BY seq OFFSET %(messages)s - 1 LIMIT 1)
"""


def owe_at_points(stored: StoredTurn) -> None:
    """Owe a summary where a turn's messages reach one of the points, and those that were never made before it."""
    options, count = stored.configuration.summaries, stored.message_count
    if stored.paused or not options.enabled:
        return
    if not options.points(after=count - len(stored.messages), upto=count):
        return
    owe(
        relationship_id=stored.turn.relationship_id,
        project_id=stored.turn.project_id,
        points=options.points(after=0, upto=count),
        by=BY_POINT,
    )


@transaction.atomic
def ask_for_summary(*, relationship: Relationship, by: Actor) -> Summary:
    """Owe a summary of all there is by now; one that is there already is the answer. Raises Conflict, NotFound."""
    require_lock(relationship.id)
    if not configuration_of(relationship).values.summaries.enabled:
        raise Conflict("Summaries are off here: set summaries.enabled first.")
    relationship.refresh_from_db(fields=["message_count"])
    count = relationship.message_count
    if not count:
        raise Conflict("Nothing was said yet.")
    owe(relationship_id=relationship.id, project_id=relationship.project_id, points=[count], by=by)
    rows = Summary.objects.for_relationship(relationship.id).filter(messages=count)
    newest: Summary = rows.order_by("-version")[0]
    return owe_again(newest, by=by) if newest.state == SummaryState.FAILED else newest


def owe(*, relationship_id: UUID, project_id: UUID, points: Collection[int], by: Actor) -> None:
    """Make the rows that are not there yet, and tell a worker. Call it under the relationship's row lock."""
    there = Summary.objects.for_relationship(relationship_id).filter(messages__in=points)
    missing = sorted(set(points) - set(there.values_list("messages", flat=True)))
    for messages in missing:
        first, last = _range(relationship_id, messages)
        owner = {"relationship_id": relationship_id, "project_id": project_id}
        _open(by, **owner, messages=messages, version=1, first_seq=first, last_seq=last)


def owe_again(summary: Summary, *, by: Actor) -> Summary:
    """Owe the same once more, as the next version. Call it under the relationship's row lock."""
    rows = Summary.objects.for_relationship(summary.relationship_id).filter(messages=summary.messages)
    newest = rows.order_by("-version").values_list("version", flat=True)[0]
    kept = ("relationship_id", "project_id", "messages", "first_seq", "last_seq")
    return _open(by, version=newest + 1, **{name: getattr(summary, name) for name in kept})


def _open(by: Actor, **fields: Any) -> Summary:
    row = Summary(id=uuid7(), actor_kind=by.kind, actor_id=by.id, due_at=timezone.now(), **fields)
    row.save(force_insert=True)
    enqueue_task(TASK, row.relationship_id, project_id=row.project_id)
    return row


def _range(relationship_id: UUID, messages: int) -> tuple[int, int]:
    [(first, last)] = execute(_RANGE, {"relationship": relationship_id, "messages": messages})
    return first, last
