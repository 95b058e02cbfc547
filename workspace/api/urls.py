"""The routes of a relationship's files under /v1."""

from django.urls import URLPattern, path, register_converter

from web.openapi import PATH_SCHEMAS
from workspace.api.decisions import ApproveView, HeldChangesView, HeldChangeView
from workspace.api.files import DefinitionsView, FilesView, FileToolsView, FileView
from workspace.api.history import (
    BranchesView,
    CheckpointRestoreView,
    CheckpointsView,
    CommitsView,
    CommitView,
    DiffView,
    HotContextVersionsView,
    HotContextView,
)
from workspace.api.sessions import (
    AgentSessionsView,
    AgentSessionView,
    EventsView,
    FinishView,
    HeartbeatView,
    PauseView,
    ResumeView,
    RetryView,
    StepsView,
    StopView,
    ToolCallView,
)
from workspace.api.tools import SecretsView, SecretView, ToolsView, ToolView


class ShaConverter:
    """Git's SHA-1 in hex."""

    regex = "[0-9a-f]{40}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class NameConverter(ShaConverter):
    """Of a tool or a secret."""

    regex = "[A-Za-z][A-Za-z0-9_]{0,63}"


register_converter(ShaConverter, "sha")
register_converter(NameConverter, "toolname")
PATH_SCHEMAS["tool"] = PATH_SCHEMAS["secret"] = {"type": "string", "pattern": "^[A-Za-z][A-Za-z0-9_]{0,63}$"}
PATH_SCHEMAS["number"] = {"type": "integer", "minimum": 0, "maximum": 1_000_000}
PATH_SCHEMAS["sha"] = {"type": "string", "pattern": "^[0-9a-f]{40}$"}
PATH_SCHEMAS["path"] = {
    "type": "string",
    "minLength": 1,
    "maxLength": 1024,
    "pattern": r"^[^/\x00-\x1f\x7f][^\x00-\x1f\x7f]*$",
}

RELATIONSHIP = "relationships/<uuid:relationship_id>"
SESSION = f"{RELATIONSHIP}/agent-sessions/<uuid:agent_session_id>"
COMPANION = "companions/<uuid:companion_id>"
CHECKPOINTS = f"{RELATIONSHIP}/checkpoints"

urlpatterns: list[URLPattern] = [
    path("file-tools", DefinitionsView.as_view()),
    path(f"{RELATIONSHIP}/file-tools", FileToolsView.as_view()),
    path(f"{RELATIONSHIP}/files", FilesView.as_view()),
    path(f"{RELATIONSHIP}/files/<path:path>", FileView.as_view()),
    path(f"{RELATIONSHIP}/diff", DiffView.as_view()),
    path(f"{RELATIONSHIP}/branches", BranchesView.as_view()),
    path(f"{RELATIONSHIP}/commits", CommitsView.as_view()),
    path(f"{RELATIONSHIP}/commits/<sha:sha>", CommitView.as_view()),
    path(CHECKPOINTS, CheckpointsView.as_view()),
    path(f"{CHECKPOINTS}/<uuid:checkpoint_id>/restore", CheckpointRestoreView.as_view()),
    path(f"{RELATIONSHIP}/hot-context", HotContextView.as_view()),
    path(f"{RELATIONSHIP}/hot-context/versions", HotContextVersionsView.as_view()),
    path(f"{RELATIONSHIP}/agent-sessions", AgentSessionsView.as_view()),
    path(SESSION, AgentSessionView.as_view()),
    path(f"{SESSION}/steps", StepsView.as_view()),
    path(f"{SESSION}/steps/<int:number>/decide", ApproveView.as_view()),
    path(f"{SESSION}/events", EventsView.as_view()),
    path(f"{SESSION}/heartbeat", HeartbeatView.as_view()),
    path(f"{SESSION}/finish", FinishView.as_view()),
    path(f"{SESSION}/pause", PauseView.as_view()),
    path(f"{SESSION}/resume", ResumeView.as_view()),
    path(f"{SESSION}/stop", StopView.as_view()),
    path(f"{SESSION}/retry", RetryView.as_view()),
    path(f"{SESSION}/tools/<toolname:tool>", ToolCallView.as_view()),
    path(f"{RELATIONSHIP}/held-changes", HeldChangesView.as_view()),
    path(f"{RELATIONSHIP}/held-changes/<uuid:change_id>/decide", HeldChangeView.as_view()),
    path(f"{COMPANION}/tools", ToolsView.as_view()),
    path(f"{COMPANION}/tools/<toolname:tool>", ToolView.as_view()),
    path(f"{COMPANION}/tool-secrets", SecretsView.as_view()),
    path(f"{COMPANION}/tool-secrets/<toolname:secret>", SecretView.as_view()),
]
