"""Adapts requests to what an OpenAI-compatible server accepts.

Few servers support everything that OpenAI does, and OpenAI's own models differ, too. They tell only by a 400 that names
the problem. So the fullest request is tried first, and each complaint leads to a simpler one. Some servers accept a
function but don't force the model to call it; then a schema is used instead.
"""

import json
from dataclasses import dataclass, replace
from typing import Any, Literal

from providers.llm.base import ToolSpec

SchemaMode = Literal["json_schema", "json_object", "words"]
ToolMode = Literal["by_name", "required", "as_schema"]
SIMPLER: dict[SchemaMode, SchemaMode] = {"json_schema": "json_object", "json_object": "words"}
ABOUT_SCHEMA = ("response_format", "json_schema", "json_object", "structured output", "grammar", "guided")
ABOUT_TOOLS = ("tool", "function")
ABOUT_TOKENS = ("max_tokens", "max_completion_tokens")


@dataclass(frozen=True, slots=True)
class Dialect:
    """`token_field`: the name of the token limit; `token_field_known`: a server asked for that name.

    `tool_mode`: the call is forced by the function's name, or by the word `required` (LM Studio does not support
    names), or an answer that fits the schema of the arguments is asked for instead.
    """

    schema_mode: SchemaMode = "json_schema"
    tool_mode: ToolMode = "by_name"
    token_field: str = "max_tokens"  # noqa: S105 - not that kind of token
    token_field_known: bool = False
    takes_temperature: bool = True

    def fields(
        self,
        *,
        schema: dict[str, Any] | None,
        max_output_tokens: int | None,
        temperature: float | None,
        tool: ToolSpec | None = None,
    ) -> dict[str, Any]:
        """The fields of the request that servers may not support. With a `tool`, `schema` is that of its arguments."""
        fields: dict[str, Any] = {}
        if tool is not None and self.tool_mode != "as_schema":
            offered = tool.in_format("openai")
            if is_strict(tool.parameters):
                offered["function"]["strict"] = True
            named = {"type": "function", "function": {"name": tool.name}}
            forced = named if self.tool_mode == "by_name" else "required"
            fields |= {"tools": [offered], "tool_choice": forced}
        elif schema is not None and self.schema_mode == "json_object":
            fields["response_format"] = {"type": "json_object"}
        elif schema is not None and self.schema_mode == "json_schema":
            answer = {"name": "answer", "schema": schema, "strict": is_strict(schema)}
            fields["response_format"] = {"type": "json_schema", "json_schema": answer}
        if max_output_tokens is not None:
            fields[self.token_field] = max_output_tokens
        if temperature is not None and self.takes_temperature:
            fields["temperature"] = temperature
        return fields

    def instruction(self, schema: dict[str, Any] | None, tool: ToolSpec | None = None) -> str:
        """Text to add to the system prompt if this dialect does not enforce the schema or the call."""
        if tool is not None and self.tool_mode != "as_schema":
            return ""
        parts = [f"{tool.name}: {tool.description}"] if tool else []
        if schema is not None and self.schema_mode != "json_schema":
            parts.append("Answer with one JSON object and nothing else. Its JSON Schema:")
            parts.append(json.dumps(schema))
        return "\n\n" + "\n".join(parts) if parts else ""

    def simpler(self, complaint: str, *, sent: dict[str, Any]) -> "Dialect | None":
        """The next dialect to try after a refusal; None if the complaint is about something else."""
        words = complaint.lower()
        if "tools" in sent and any(word in words for word in ABOUT_TOOLS):
            by_name = self.tool_mode == "by_name" and "tool_choice" in words
            return replace(self, tool_mode="required" if by_name else "as_schema")
        if "response_format" in sent and any(word in words for word in ABOUT_SCHEMA):
            return replace(self, schema_mode=SIMPLER[self.schema_mode])
        if (
            self.token_field in sent
            and not self.token_field_known
            and any(word in words for word in ABOUT_TOKENS)
        ):
            other = next(name for name in ABOUT_TOKENS if name != self.token_field)
            return replace(self, token_field=other, token_field_known=True)
        if "temperature" in sent and "temperature" in words:
            return replace(self, takes_temperature=False)
        return None


def is_strict(schema: dict[str, Any]) -> bool:
    """Return whether OpenAI's strict mode accepts a schema: objects are closed, and all properties required."""
    if schema.get("type") == "object" or "properties" in schema:
        required = set(schema.get("required", ()))
        if schema.get("additionalProperties") is not False or required != set(schema.get("properties", {})):
            return False
    parts = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
    parts += [part for name in ("anyOf", "oneOf", "allOf") for part in schema.get(name, ())]
    if isinstance(schema.get("items"), dict):
        parts.append(schema["items"])
    return all(is_strict(part) for part in parts)
