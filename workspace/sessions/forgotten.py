"""What was forgotten while a session runs: its own steps tell of it no more, nor does its copy of the entries."""

from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID

from django.db.models import Count, Max

from memory.models import EntryRevision, MendingPlan, RevisionEvent
from workspace.models import AgentSession, AgentStep

PLACES = ("path", "old_path", "new_path", "view_range")  # arguments that say where, not what
WITHHELD = (
    "({state}; what it said is not shown again: something was forgotten since. Look again where you need it.)"
)


def forgettings(relationship_id: UUID) -> int:
    """More once an entry was deleted, or a wish to forget or correct carried out; 0: nothing ever was. Told by no
    clock: two machines have two, one can be set back, and what began before may be there after.
    """
    deleted = EntryRevision.objects.for_relationship(relationship_id).filter(event=RevisionEvent.DELETE)
    plans = MendingPlan.objects.for_relationship(relationship_id)
    last: int = deleted.aggregate(last=Max("seq"))["last"] or 0
    carried_out: int = plans.aggregate(count=Count("carried_out_at"))["count"]
    return last + carried_out


def as_told(
    session: AgentSession, steps: Iterable[AgentStep]
) -> Iterator[tuple[AgentStep, dict[str, Any], str]]:
    """Each step with its arguments and what it said, as a model may be shown them by now."""
    forgotten = forgettings(session.relationship_id)
    for step in steps:
        if step.forgettings == forgotten:
            yield step, step.arguments, step.result
        else:
            where = {name: step.arguments[name] for name in PLACES if name in step.arguments}
            yield step, where, WITHHELD.format(state=step.state)
