from typing import Annotated, Any, ClassVar, Literal
from uuid import UUID

from pydantic import Field, StringConstraints
from rest_framework.request import Request
from rest_framework.response import Response

from relationships.api.views import ApiView
from web.fields import Answer, Body, JsonObject, Query
from web.operations import operation
from workspace.api.files import TAG, WorkspaceView
from workspace.api.schemas import BranchName
from workspace.errors import ToolRefused
from workspace.file_tools import FileTools
from workspace.models import MAIN
from workspace.tool_definitions import definitions


class DefinitionsQuery(Query):
    format: Literal["anthropic", "openai", "gemini"] = "anthropic"


class DefinitionsAnswer(Answer):
    tools: list[dict[str, Any]]
    """As that vendor's API takes them."""


class FileToolCall(Body):
    name: Annotated[str, StringConstraints(min_length=1, max_length=80)]
    """`memory`, with its `command` in the input, or the command itself; grep, find, commit."""
    input: JsonObject = Field(default_factory=dict)
    """As the model gave it."""
    branch: BranchName = MAIN


class FileToolAnswer(Answer):
    result: str
    """For the model."""
    is_error: bool


class DefinitionsView(ApiView):
    tag = TAG

    @operation(
        "file_tools_list", "List the file tools", query=DefinitionsQuery, answers={200: DefinitionsAnswer}
    )
    def get(self, request: Request) -> Response:
        """Ready to be handed to a model."""
        return self.answer({"tools": definitions(self.query(DefinitionsQuery).format)})


class FileToolsView(WorkspaceView):
    scopes: ClassVar = {"POST": "write"}

    @operation(
        "file_tools_call", "Call a file tool for a model", body=FileToolCall, answers={200: FileToolAnswer}
    )
    def post(self, request: Request, relationship_id: UUID) -> Response:
        """What it says is for the model, also where the tool refuses: then `is_error` is true."""
        body = self.body(FileToolCall)
        tools = FileTools(self.owner(relationship_id), body.branch, self.actor)
        try:
            said, is_error = tools.run(body.name, body.input), False
        except ToolRefused as error:
            said, is_error = error.detail, True
        return self.answer({"result": said, "is_error": is_error})
