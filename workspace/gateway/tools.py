"""Writes and deletes a companion's tools, for the developer."""

from typing import Any

from django.db import transaction
from pydantic import ValidationError

from relationships.models import Companion, Relationship
from relationships.services.audit import audit_row
from relationships.services.rows import require
from web.actor import Actor
from web.errors import Conflict, InvalidInput
from web.fields import field_problems
from web.outgoing import OutgoingError, refuse_address
from workspace.files import read_file
from workspace.gateway.spec import SECRET, ToolSpec
from workspace.generated import SPEC_PATH
from workspace.models import Tool
from workspace.yaml_files import read_yaml


@transaction.atomic
def put_tool(*, companion: Companion, name: str, spec: dict[str, Any], by: Actor) -> Tool:
    """Raises InvalidInput."""
    try:
        ToolSpec.model_validate({"name": name, **spec})
    except ValidationError as error:
        raise InvalidInput.naming(field_problems(error, {"name": name, **spec})) from None
    try:
        refuse_address(SECRET.sub("x", spec["endpoint"]))
    except OutgoingError as error:
        raise InvalidInput.of("endpoint", str(error)) from None
    row, _ = Tool.objects.update_or_create(
        companion=companion, name=name, defaults={"project_id": companion.project_id, "spec": spec}
    )
    audit_row(row, "tool.written", by, name=name, companion_id=str(companion.id))
    return row


def approve_tool(*, relationship: Relationship, path: str, by: Actor) -> Tool:
    """Add a tool to the companion from a spec that an agent wrote to `tools/<name>/spec.yaml` on main, unchanged.

    Raises FileNotThere, Conflict, InvalidInput.
    """
    named = SPEC_PATH.fullmatch(path)
    if named is None:
        raise InvalidInput.of("path", "is not the path of a tool's spec: tools/<name>/spec.yaml")
    spec = read_yaml(read_file(relationship, path).content)
    if spec is None:
        raise InvalidInput.of("path", f"{path} is not a YAML mapping")
    name = named["name"]
    if Tool.objects.filter(companion_id=relationship.companion_id, name=name).exists():
        raise Conflict(f"The companion has a tool {name} already.")
    spec = {key: value for key, value in spec.items() if key != "name"}
    return put_tool(companion=relationship.companion, name=name, spec=spec, by=by)


@transaction.atomic
def delete_tool(*, companion: Companion, name: str, by: Actor) -> None:
    """Raises NotFound."""
    row = require(Tool.objects.filter(companion=companion, name=name), "tool")
    audit_row(row, "tool.deleted", by, name=name, companion_id=str(companion.id))
    row.delete()
