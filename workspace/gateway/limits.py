"""Limits how many tools and secrets a companion has: lists of them have no pages, and models are told of all tools."""

from relationships.models import Companion
from relationships.services.companions import get_companion
from web.errors import Conflict
from workspace.models import Tool, ToolSecret


def require_room(
    kind: type[Tool | ToolSecret], companion: Companion, name: str, *, most: int, what: str
) -> None:
    """Check that the companion may have one more of a kind, unless it has this one. Call in the transaction that writes
    it. Raises Conflict, NotFound.
    """
    get_companion(project_id=companion.project_id, companion_id=companion.id, lock=True)
    others = kind._default_manager.filter(companion=companion).exclude(name=name)
    if others.count() >= most:
        raise Conflict(f"A companion has at most {most} {what}: delete one first.")
