"""A companion's tools: written and deleted by the developer."""

from typing import Any

from django.db import transaction
from pydantic import ValidationError

from relationships.models import Companion
from relationships.services.audit import audit_row
from relationships.services.rows import require
from web.actor import Actor
from web.errors import InvalidInput
from web.fields import field_problems
from workspace.gateway.spec import ToolSpec
from workspace.models import Tool


@transaction.atomic
def put_tool(*, companion: Companion, name: str, spec: dict[str, Any], by: Actor) -> Tool:
    """Raises InvalidInput."""
    try:
        ToolSpec.model_validate({"name": name, **spec})
    except ValidationError as error:
        raise InvalidInput.naming(field_problems(error, {"name": name, **spec})) from None
    row, _ = Tool.objects.update_or_create(
        companion=companion, name=name, defaults={"project_id": companion.project_id, "spec": spec}
    )
    audit_row(row, "tool.written", by, name=name, companion_id=str(companion.id))
    return row


@transaction.atomic
def delete_tool(*, companion: Companion, name: str, by: Actor) -> None:
    """Raises NotFound."""
    row = require(Tool.objects.filter(companion=companion, name=name), "tool")
    audit_row(row, "tool.deleted", by, name=name, companion_id=str(companion.id))
    row.delete()
