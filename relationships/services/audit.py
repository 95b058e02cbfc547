"""The one place that writes AuditEvents. Call it in the transaction of the change it tells of."""

from typing import Any
from uuid import UUID

from relationships.actor import Actor
from relationships.models import AuditEvent


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
