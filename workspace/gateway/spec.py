"""The fields of a tool's spec. In the tree it is tools/<name>/spec.yaml."""

import re
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, field_validator

from relationships.configuration.json_schemas import Shape
from relationships.configuration.strict import Strict
from workspace.generated import TOOL_NAME
from workspace.tool_definitions import is_file_tool

SECRET = re.compile(r"\{\{ ?([A-Za-z][A-Za-z0-9_]{0,63}) ?\}\}")
Header = Annotated[str, StringConstraints(max_length=2000, pattern=r"^[\x20-\x7e]*$")]
HeaderName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9-]{1,100}$")]
TAKEN = {"done", "memory", "unreadable"}


class ToolParts(Strict):
    """An endpoint that is called with the input as JSON, or as a query string for GET."""

    description: Annotated[str, StringConstraints(min_length=1, max_length=2000)]
    """What it does, for the model."""
    endpoint: Annotated[str, StringConstraints(min_length=1, max_length=2000)]
    """A public URL. `{{NAME}}` in it or in a header is replaced by the secret of that name."""
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
    name: Annotated[str, StringConstraints(pattern=rf"^{TOOL_NAME}$")]

    @field_validator("name")
    @classmethod
    def _free(cls, value: str) -> str:
        if is_file_tool(value) or value in TAKEN:
            raise ValueError("is the name of one of the built-in tools")
        return value

    def described(self) -> dict[str, Any]:
        """The tool as the model sees it, without endpoint and headers."""
        return {"name": self.name, "description": self.description, "parameters": self.input or {}}
