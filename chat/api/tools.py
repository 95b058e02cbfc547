"""Memory tools for those who run their own loop: their definitions, and each of them to be called."""

from typing import Any, ClassVar, Literal
from uuid import UUID

from pydantic import ConfigDict
from rest_framework.request import Request
from rest_framework.response import Response

from chat.tools.definitions import FORMATS, TOOLS
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
    """Ready to be sent to the model."""


class ToolArguments(Body):
    """The arguments as the model gave them; each tool's are described at /v1/tools."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)


class ToolAnswer(Answer):
    """What to hand back to the model: `memories`, `messages`, `stored`, `deleted`, or `error`."""

    model_config = ConfigDict(extra="allow")


class ToolsView(ApiView):
    open_to_tokens = True
    token_is_the_address = True

    @operation("tools_list", "List the memory tools", answers={200: ToolList})
    def get(self, request: Request, query: ToolsQuery) -> Response:
        """Their definitions, in the shape that a vendor's model takes."""
        wanted = query.format
        return self.answer({"format": wanted, "tools": [FORMATS[wanted](tool) for tool in TOOLS.values()]})


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
        """memory_add is read like a turn, in the background; memory_forget hides what surely says it; its plan can be
        undone. What is pinned or read-only stays. What the model can mend is told in the answer, as `error`.
        """
        given: dict[str, Any] = self.json()
        relationship = self.get_relationship(relationship_id, "companion", "project")
        use = ToolUse(relationship, configuration_of(relationship).values, self.actor)
        ran = run_tool(use, name, given, strict=True)
        keep_call(use, ran, turn_id=ran.turn_id)
        return self.answer(ran.answer)
