"""The one place that writes AuditEvents. Call it in the transaction of the change it tells of."""

from typing import Any
from uuid import UUID

from relationships.models import AuditEvent, Project, Relationship
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
    """Who did what to which row. `detail` names fields and versions; it never holds a person's words."""
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
    """As `record_audit`, of the row that was changed: `user.created` is about a user, and what is said of a
    relationship's parts, such as `profile.changed`, about the relationship.
    """
    record_audit(
        project_id=row.id if isinstance(row, Project) else row.project_id,
        action=action,
        target_kind="relationship" if isinstance(row, Relationship) else action.partition(".")[0],
        target_id=row.id,
        by=by,
        detail=detail,
    )
