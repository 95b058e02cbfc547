"""What was forgotten while a session runs: its own steps tell of it no more, nor does its copy of the entries."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, Max

from memory.models import EntryRevision, MendingPlan, RevisionEvent
from workspace.models import AgentSession, AgentStep

PLACES = ("path", "old_path", "new_path", "view_range")  # arguments that say where, not what
WITHHELD = (
    "({state}; what it said is not shown again: something was forgotten since. Look again where you need it.)"
)


def last_forgotten(relationship_id: UUID, *, since: datetime) -> datetime | None:
    """When an entry was deleted, or a wish to forget or correct carried out, for the last time since then."""
    deleted = EntryRevision.objects.for_relationship(relationship_id).filter(event=RevisionEvent.DELETE)
    plans = MendingPlan.objects.for_relationship(relationship_id).filter(carried_out_at__gte=since)
    times = [
        *deleted.filter(recorded_at__gte=since).values_list("recorded_at", flat=True),
        *plans.values_list("carried_out_at", flat=True),
    ]
    return max(times, default=None)


def forgettings(relationship_id: UUID) -> tuple[Any, ...]:
    """Something else once something was forgotten. Told by no clock: two machines have two, and what began before
    may be there after.
    """
    deleted = EntryRevision.objects.for_relationship(relationship_id).filter(event=RevisionEvent.DELETE)
    plans = MendingPlan.objects.for_relationship(relationship_id)
    last = deleted.aggregate(last=Max("seq"))["last"]
    return (last, *plans.aggregate(Max("carried_out_at"), Count("carried_out_at")).values())


def as_told(
    session: AgentSession, steps: Iterable[AgentStep]
) -> Iterator[tuple[AgentStep, dict[str, Any], str]]:
    """Each step with its arguments and what it said, as a model may be shown them by now."""
    forgotten = last_forgotten(session.relationship_id, since=session.created_at)
    for step in steps:
        if forgotten is None or step.created_at > forgotten:
            yield step, step.arguments, step.result
        else:
            where = {name: step.arguments[name] for name in PLACES if name in step.arguments}
            yield step, where, WITHHELD.format(state=step.state)
