"""What awaits an operator's review: in the memory, and in the workspace of an agent."""

from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from memory.models import MendingPlan, OperationResult
from workspace.models import AgentSession, AgentStep, HeldChange, SessionState, StepState

Owners = QuerySet[Any, Any]  # relationships' IDs, one for each thing that waits


def memory_awaiting_review(**owned: Any) -> Owners:
    """Held deletions and unclear wishes to forget. `owned`: a filter by owner, for any table of relationships."""
    deletions = OperationResult.objects.filter(**owned).waiting()
    plans = MendingPlan.objects.filter(**owned).awaiting_review()
    return _owners(deletions, plans)


def workspace_awaiting_review(**owned: Any) -> Owners:
    """Changes of files that a merge left to a person, and agents' calls that need approval."""
    changes = HeldChange.objects.filter(**owned, state=HeldChange.OPEN)
    calls = AgentStep.objects.filter(
        relationship_id=OuterRef("relationship_id"), session_id=OuterRef("id"), state=StepState.WAITING
    )
    sessions = AgentSession.objects.filter(**owned, state=SessionState.RUNNING)
    return _owners(changes, sessions.filter(Exists(calls)))


def awaiting_review(**owned: Any) -> Owners:
    """All of it."""
    return memory_awaiting_review(**owned).union(workspace_awaiting_review(**owned), all=True)


def _owners(*kinds: QuerySet[Any, Any]) -> Owners:
    first, second = (rows.order_by().values_list("relationship_id", flat=True) for rows in kinds)
    return first.union(second, all=True)
