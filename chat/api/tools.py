"""Memory tools for developers who run their own agent loop: the definitions, and a call for each tool."""

from typing import Any, ClassVar, Literal
from uuid import UUID

from pydantic import ConfigDict
from rest_framework.request import Request
from rest_framework.response import Response

from chat.tools.definitions import TOOLS
from chat.tools.run import ToolUse, keep_call, run_tool
from relationships.api.views import ApiView
from relationships.services.configuration import configuration_of
from web.fields import Answer, Body, JsonObject, Query
from web.operations import operation

TAG = "Memory tools"


class ToolsQuery(Query):
    format: Literal["openai", "anthropic", "gemini"] = "openai"
    """The vendor's shape: OpenAI's `tools`, Anthropic's `tools`, or Gemini's `functionDeclarations`."""


class ToolList(Answer):
    format: str
    tools: list[JsonObject]
    """In the form that the vendor's API takes."""


class ToolArguments(Body):
    """The arguments from the model, as /v1/tools describes them for each tool."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)


class ToolAnswer(Answer):
    """The result to send to the model: `memories`, `messages`, `stored`, `deleted`, or `error`."""

    model_config = ConfigDict(extra="allow")


class ToolsView(ApiView):
    open_to_tokens = True
    token_is_the_address = True

    @operation("tools_list", "List the memory tools", answers={200: ToolList})
    def get(self, request: Request, query: ToolsQuery) -> Response:
        """Their definitions in a vendor's format."""
        tools = [tool.in_format(query.format) for tool in TOOLS.values()]
        return self.answer({"format": query.format, "tools": tools})


class ToolView(ApiView):
    open_to_tokens = True
    counts_as: ClassVar = {"POST": "searches"}

    @operation(
        "tools_call",
        "Call a memory tool",
        body=ToolArguments,
        answers={200: ToolAnswer},
        problems=(404, 409),
        example={"query": "what she is allergic to"},
    )
    def post(self, request: Request, relationship_id: UUID, name: str) -> Response:
        """memory_add is read in the background, like a turn. memory_forget hides what certainly matches; its plan can
        be undone. Pinned and read-only entries stay. What the model can correct is described in `error` of the answer.
        """
        given: dict[str, Any] = self.json()
        relationship = self.get_relationship(relationship_id, "companion", "project")
        use = ToolUse(relationship, configuration_of(relationship).values, self.actor)
        ran = run_tool(use, name, given, strict=True)
        keep_call(use, ran, turn_id=ran.turn_id)
        return self.answer(ran.answer)
