"""What awaits an operator's review: of a relationship's memory, and of its agents' work."""

from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from memory.models import MendingPlan, OperationResult
from workspace.models import AgentSession, AgentStep, HeldChange, SessionState, StepState

RelationshipIds = QuerySet[Any, Any]  # a relationship's ID for each row that awaits review


def memory_awaiting_review(**owned: Any) -> RelationshipIds:
    """Held deletions and unclear wishes to forget. `owned`: a filter by project or relationships."""
    deletions = OperationResult.objects.filter(**owned).waiting()
    plans = MendingPlan.objects.filter(**owned).awaiting_review()
    return _relationship_ids(deletions, plans)


def workspace_awaiting_review(**owned: Any) -> RelationshipIds:
    """Held changes of files, and agents' tool calls that need approval."""
    changes = HeldChange.objects.filter(**owned, state=HeldChange.OPEN)
    calls = AgentStep.objects.filter(
        relationship_id=OuterRef("relationship_id"), session_id=OuterRef("id"), state=StepState.WAITING
    )
    sessions = AgentSession.objects.filter(**owned, state=SessionState.RUNNING)
    return _relationship_ids(changes, sessions.filter(Exists(calls)))


def awaiting_review(**owned: Any) -> RelationshipIds:
    return memory_awaiting_review(**owned).union(workspace_awaiting_review(**owned), all=True)


def _relationship_ids(*kinds: QuerySet[Any, Any]) -> RelationshipIds:
    first, second = (rows.order_by().values_list("relationship_id", flat=True) for rows in kinds)
    return first.union(second, all=True)
