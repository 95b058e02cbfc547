"""Withholds from a running session what was forgotten since: in its own steps, and in its copy of the entries."""

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
    """A number that grows when an entry is deleted, or a wish to forget or correct is carried out. 0: never happened.

    It does not rely on clocks, which differ between machines and can be set back, nor on the order of commits.
    """
    deleted = EntryRevision.objects.for_relationship(relationship_id).filter(event=RevisionEvent.DELETE)
    plans = MendingPlan.objects.for_relationship(relationship_id)
    last: int = deleted.aggregate(last=Max("seq"))["last"] or 0
    carried_out: int = plans.aggregate(count=Count("carried_out_at"))["count"]
    return last + carried_out


def as_told(
    session: AgentSession, steps: Iterable[AgentStep]
) -> Iterator[tuple[AgentStep, dict[str, Any], str]]:
    """Each step with its arguments and result, as a model may see them now."""
    forgotten = forgettings(session.relationship_id)
    for step in steps:
        if step.forgettings == forgotten:
            yield step, step.arguments, step.result
        else:
            where = {name: step.arguments[name] for name in PLACES if name in step.arguments}
            yield step, where, WITHHELD.format(state=step.state)
