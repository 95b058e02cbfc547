"""The anthropic SDK's memory tool, with its files in the workspace: `RapportMemoryTool`, `RapportAsyncMemoryTool`."""

from typing import Any

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError

from rapport_client.generated import models as m
from rapport_client.relationship import AsyncRelationship, Relationship


class RapportMemoryTool(BetaAbstractMemoryTool):
    """For `client.beta.messages.tool_runner(tools=[...])`. `branch`: an agent session's, or main."""

    def __init__(self, owner: Relationship, *, branch: str = "main") -> None:
        super().__init__()
        self._owner, self._branch = owner, branch

    def view(self, command: Any) -> str:
        return _told(self._owner.client.file_tools_call(self._owner.id, **_called(command, self._branch)))

    create = str_replace = insert = delete = rename = view


class RapportAsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """RapportMemoryTool for AsyncAnthropic."""

    def __init__(self, owner: AsyncRelationship, *, branch: str = "main") -> None:
        super().__init__()
        self._owner, self._branch = owner, branch

    async def view(self, command: Any) -> str:
        call = self._owner.client.file_tools_call(self._owner.id, **_called(command, self._branch))
        return _told(await call)

    create = str_replace = insert = delete = rename = view


def _called(command: Any, branch: str) -> dict[str, Any]:
    return {"name": "memory", "input": command.model_dump(exclude_none=True), "branch": branch}


def _told(answer: m.FileToolAnswer) -> str:
    if answer["is_error"]:
        raise ToolError(answer["result"])
    return answer["result"]
