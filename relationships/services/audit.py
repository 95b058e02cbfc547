"""The only writer of AuditEvents. Call it in the transaction of the change."""

from typing import Any
from uuid import UUID

from relationships.models import AuditEvent, Companion, Project, Relationship
from web.actor import Actor


def record_audit(
    *,
    project_id: UUID,
    action: str,
    target_kind: str,
    target_id: UUID | None,
    by: Actor,
    detail: dict[str, Any] | None = None,
) -> None:
    """Record who did what to which row. `detail` names fields and versions, never anything a person said."""
    AuditEvent.objects.create(
        project_id=project_id,
        action=action,
        target_kind=target_kind,
        target_id=target_id,
        actor_kind=by.kind,
        actor_id=by.id,
        detail=detail or {},
    )


def audit_row(row: Any, action: str, by: Actor, **detail: Any) -> None:
    """Call `record_audit` for a changed row. The target's kind is the action's first word (`user.created`: user);
    a change to part of a relationship or a companion (`profile.changed`) has that as its target.
    """
    is_whole = isinstance(row, Relationship | Companion)
    record_audit(
        project_id=row.id if isinstance(row, Project) else row.project_id,
        action=action,
        target_kind=type(row).__name__.lower() if is_whole else action.partition(".")[0],
        target_id=row.id,
        by=by,
        detail=detail,
    )
