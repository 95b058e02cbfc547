"""A companion's tools: what a spec holds, and how the developer writes and deletes them. In the tree a spec is
tools/<name>/spec.yaml.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from django.db import transaction
from pydantic import Field, StringConstraints, ValidationError, field_validator

from relationships.configuration.json_schemas import Shape
from relationships.configuration.strict import Strict
from relationships.models import Companion, Relationship
from relationships.services.audit import audit_row
from relationships.services.rows import require
from web.actor import Actor
from web.errors import Conflict, InvalidInput, NotAllowed
from web.field_problems import field_problems, matching
from web.outgoing import FRAMING, OutgoingError, refuse_address
from workspace.files import read_file
from workspace.gateway.limits import require_room
from workspace.generated import SPEC_PATH, TOOL_NAME
from workspace.models import Tool
from workspace.tool_definitions import is_file_tool
from workspace.yaml_files import read_yaml

SECRET = re.compile(r"\{\{ ?([A-Za-z][A-Za-z0-9_]{0,63}) ?\}\}")
Header = Annotated[
    str, matching(r"^[\x20-\x7e]*$", "has a character that a header can't have", max_length=2000)
]
HeaderName = Annotated[
    str, matching(r"^[A-Za-z0-9-]{1,100}$", "has to be 1 to 100 letters from a to z, digits and -")
]
TAKEN = {"done", "memory", "unreadable"}
MOST_TOOLS = 100  # of a companion; all are in the question for each step


class ToolParts(Strict):
    """An endpoint that is called with the input as JSON, or as a query string for GET."""

    description: Annotated[str, StringConstraints(min_length=1, max_length=2000)]
    """What it does, for the model."""
    endpoint: Annotated[str, StringConstraints(min_length=1, max_length=2000)]
    """A public URL. `{{NAME}}` in it or in a header is replaced by the secret of that name. In the URL its `+`, its `#`
    and what no URL may contain are percent-encoded."""
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] = "POST"
    input: Shape = None
    """A JSON Schema for the input."""
    output: Shape = None
    """A JSON Schema for the response, which then has to be JSON."""
    headers: Annotated[dict[HeaderName, Header], Field(max_length=30)] = {}
    timeout: Annotated[float, Field(gt=0, le=60)] = 10
    """Seconds."""
    needs_approval: bool = False
    """Whether a person has to approve each call."""


class ToolSpec(ToolParts):
    name: Annotated[
        str, matching(rf"^{TOOL_NAME}$", "has to be 1 to 64 of a-z, 0-9 and _, beginning with a letter")
    ]

    @field_validator("name")
    @classmethod
    def _free(cls, value: str) -> str:
        if is_file_tool(value) or value in TAKEN:
            raise ValueError("is the name of one of the built-in tools")
        return value

    @classmethod
    def kept(cls, name: str, spec: Mapping[str, Any]) -> "ToolSpec":
        """A spec that was checked when it was written, which takes longer than calling the tool."""
        return cls.model_construct(name=name, **spec)

    def described(self) -> dict[str, Any]:
        """The tool as the model sees it, without endpoint and headers."""
        return {"name": self.name, "description": self.description, "parameters": self.input or {}}


@transaction.atomic
def put_tool(
    *, companion: Companion, name: str, spec: dict[str, Any], by: Actor, with_secrets: bool = False
) -> Tool:
    """`with_secrets`: whether it may name secrets. Raises InvalidInput, Conflict, NotAllowed."""
    try:
        checked = ToolSpec.model_validate({"name": name, **spec})
    except ValidationError as error:
        raise InvalidInput.naming(field_problems(error, {"name": name, **spec})) from None
    if not with_secrets and any(map(SECRET.search, (checked.endpoint, *checked.headers.values()))):
        raise NotAllowed(
            "A tool that sends secrets needs a key with the scope 'admin' or an owner.", scope="admin"
        )
    for header in spec.get("headers", {}):
        if header.lower() in FRAMING:
            raise InvalidInput.of(f"headers.{header}", "is written with each call: leave it out")
    try:
        refuse_address(SECRET.sub("x", spec["endpoint"]))
    except OutgoingError as error:
        raise InvalidInput.of("endpoint", str(error)) from None
    require_room(Tool, companion, name, most=MOST_TOOLS, what="tools")
    row, _ = Tool.objects.update_or_create(
        companion=companion, name=name, defaults={"project_id": companion.project_id, "spec": spec}
    )
    audit_row(row, "tool.written", by, name=name, companion_id=str(companion.id))
    return row


def approve_tool(*, relationship: Relationship, path: str, by: Actor, with_secrets: bool) -> Tool:
    """Add a tool to the companion from a spec that an agent wrote to `tools/<name>/spec.yaml` on main, unchanged.

    Raises FileNotThere, and like put_tool.
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
    return put_tool(companion=relationship.companion, name=name, spec=spec, by=by, with_secrets=with_secrets)


@transaction.atomic
def delete_tool(*, companion: Companion, name: str, by: Actor) -> None:
    """Raises NotFound."""
    row = require(Tool.objects.filter(companion=companion, name=name), "tool")
    audit_row(row, "tool.deleted", by, name=name, companion_id=str(companion.id))
    row.delete()
