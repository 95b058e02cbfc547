"""How a server that calls itself OpenAI-compatible wants to be spoken to.

Few servers take all that OpenAI takes, and OpenAI's own models differ too. None says so beforehand; each says
so in a 400 that names what it does not like. So the fullest request goes first, and a complaint leads to the
next simpler one. Some take a function to call and don't have it called: then a schema says the same.
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
    """`token_field` is the name of the token limit; `token_field_known` once a server chose it.

    `tool_mode`: a function is called for by its name, by the word `required` (LM Studio knows no names), or
    not at all, and then its arguments are asked for as an answer that fits a schema.
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
        """The fields of the request's body that servers quarrel about. With a `tool`, `schema` is its own."""
        fields: dict[str, Any] = {}
        if tool is not None and self.tool_mode != "as_schema":
            fields |= _forced_call(self.tool_mode, tool)
        elif schema is not None and self.schema_mode != "words":
            fields["response_format"] = _response_format(self.schema_mode, schema)
        if max_output_tokens is not None:
            fields[self.token_field] = max_output_tokens
        if temperature is not None and self.takes_temperature:
            fields["temperature"] = temperature
        return fields

    def instruction(self, schema: dict[str, Any] | None, tool: ToolSpec | None = None) -> str:
        """What the system prompt must add, because this dialect enforces no schema or calls no function."""
        if tool is not None and self.tool_mode != "as_schema":
            return ""
        parts = [f"{tool.name}: {tool.description}"] if tool else []
        if schema is not None and self.schema_mode != "json_schema":
            parts.append("Answer with one JSON object and nothing else. Its JSON Schema:")
            parts.append(json.dumps(schema))
        return "\n\n" + "\n".join(parts) if parts else ""

    def simpler(self, complaint: str, *, sent: dict[str, Any]) -> "Dialect | None":
        """The next dialect to try after a refusal in these words; None if they are about something else."""
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
    """Whether OpenAI's strict mode takes the schema: every object closed, every property of it required."""
    if schema.get("type") == "object" or "properties" in schema:
        properties = schema.get("properties", {})
        if schema.get("additionalProperties") is not False or set(schema.get("required", ())) != set(
            properties
        ):
            return False
    parts = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
    parts += [part for name in ("anyOf", "oneOf", "allOf") for part in schema.get(name, ())]
    if isinstance(schema.get("items"), dict):
        parts.append(schema["items"])
    return all(is_strict(part) for part in parts)


def _forced_call(mode: ToolMode, tool: ToolSpec) -> dict[str, Any]:
    function: dict[str, Any] = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
    if is_strict(tool.parameters):
        function["strict"] = True
    named = {"type": "function", "function": {"name": tool.name}}
    return {
        "tools": [{"type": "function", "function": function}],
        "tool_choice": named if mode == "by_name" else "required",
    }


def _response_format(mode: SchemaMode, schema: dict[str, Any]) -> dict[str, Any]:
    if mode == "json_object":
        return {"type": "json_object"}
    return {
        "type": "json_schema",
        "json_schema": {"name": "answer", "schema": schema, "strict": is_strict(schema)},
    }
