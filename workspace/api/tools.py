from typing import ClassVar
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from relationships.api.views import ApiView
from relationships.services.companions import get_companion
from web.fields import Page
from web.operations import operation
from workspace.api.session_schemas import (
    AgentSecretAnswer,
    AgentToolAnswer,
    SecretBody,
    ToolBody,
)
from workspace.gateway.secrets import delete_secret, put_secret
from workspace.gateway.tools import delete_tool, put_tool
from workspace.models import Tool, ToolSecret

TAG = "Tools of agents"


class ToolsView(ApiView):
    @operation("agent_tools_list", "List a companion's tools", answers={200: Page[AgentToolAnswer]})
    def get(self, request: Request, companion_id: UUID) -> Response:
        """The tools that its agents may call, besides the file tools."""
        get_companion(project_id=self.project_id, companion_id=companion_id)
        rows = Tool.objects.filter(companion_id=companion_id).order_by("name")
        return self.answer({"items": [AgentToolAnswer.of(row) for row in rows], "next_cursor": None})


class ToolView(ApiView):
    @operation("agent_tools_write", "Write a tool", answers={200: AgentToolAnswer}, problems=(409,))
    def put(self, request: Request, companion_id: UUID, tool: str, body: ToolBody) -> Response:
        """The companion's agents can then call it. To approve a tool that an agent wrote, write its spec here. If it
        names secrets, this needs the scope admin, as the tool sends them wherever its spec says.
        """
        companion = get_companion(project_id=self.project_id, companion_id=companion_id)
        row = put_tool(
            companion=companion,
            name=tool,
            spec=body.model_dump(mode="json"),
            by=self.actor,
            with_secrets=self.credentials.allow("admin"),
        )
        return self.answer(AgentToolAnswer.of(row))

    @operation("agent_tools_delete", "Delete a tool", answers={204: None})
    def delete(self, request: Request, companion_id: UUID, tool: str) -> Response:
        companion = get_companion(project_id=self.project_id, companion_id=companion_id)
        delete_tool(companion=companion, name=tool, by=self.actor)
        return self.answer(status=204)


class SecretsView(ApiView):
    @operation(
        "tool_secrets_list", "List the names of a companion's secrets", answers={200: Page[AgentSecretAnswer]}
    )
    def get(self, request: Request, companion_id: UUID) -> Response:
        """Their values are never shown."""
        get_companion(project_id=self.project_id, companion_id=companion_id)
        rows = ToolSecret.objects.filter(companion_id=companion_id).order_by("name")
        return self.answer({"items": [AgentSecretAnswer.of(row) for row in rows], "next_cursor": None})


class SecretView(ApiView):
    scopes: ClassVar = {"PUT": "admin", "DELETE": "admin"}

    @operation("tool_secrets_write", "Write a secret", answers={204: None}, problems=(409,))
    def put(self, request: Request, companion_id: UUID, secret: str, body: SecretBody) -> Response:
        """It replaces `{{NAME}}` in the specs of tools."""
        companion = get_companion(project_id=self.project_id, companion_id=companion_id)
        put_secret(companion=companion, name=secret, value=body.value, by=self.actor)
        return self.answer(status=204)

    @operation("tool_secrets_delete", "Delete a secret", answers={204: None})
    def delete(self, request: Request, companion_id: UUID, secret: str) -> Response:
        companion = get_companion(project_id=self.project_id, companion_id=companion_id)
        delete_secret(companion=companion, name=secret, by=self.actor)
        return self.answer(status=204)
