"""The routes of a relationship's files under /v1."""

from django.urls import URLPattern, path, register_converter
from django.urls.converters import StringConverter

from web.openapi import PATH_SCHEMAS
from workspace.api import files, history, sessions, tools


class ShaConverter(StringConverter):
    """A git SHA-1 in hex."""

    regex = "[0-9a-f]{40}"


class NameConverter(StringConverter):
    """The name of a tool or a secret."""

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
    path("file-tools", files.DefinitionsView.as_view()),
    path(f"{RELATIONSHIP}/file-tools", files.FileToolsView.as_view()),
    path(f"{RELATIONSHIP}/files", files.FilesView.as_view()),
    path(f"{RELATIONSHIP}/files/<path:path>", files.FileView.as_view()),
    path(f"{RELATIONSHIP}/diff", history.DiffView.as_view()),
    path(f"{RELATIONSHIP}/blame/<path:path>", history.BlameView.as_view()),
    path(f"{RELATIONSHIP}/branches", history.BranchesView.as_view()),
    path(f"{RELATIONSHIP}/commits", history.CommitsView.as_view()),
    path(f"{RELATIONSHIP}/commits/<sha:sha>", history.CommitView.as_view()),
    path(CHECKPOINTS, history.CheckpointsView.as_view()),
    path(f"{CHECKPOINTS}/<uuid:checkpoint_id>/restore", history.CheckpointRestoreView.as_view()),
    path(f"{RELATIONSHIP}/hot-context", history.HotContextView.as_view()),
    path(f"{RELATIONSHIP}/hot-context/versions", history.HotContextVersionsView.as_view()),
    path(f"{RELATIONSHIP}/agent-sessions", sessions.AgentSessionsView.as_view()),
    path(SESSION, sessions.AgentSessionView.as_view()),
    path(f"{SESSION}/steps", sessions.StepsView.as_view()),
    path(f"{SESSION}/steps/<int:number>/decide", sessions.ApproveView.as_view()),
    path(f"{SESSION}/events", sessions.EventsView.as_view()),
    path(f"{SESSION}/heartbeat", sessions.HeartbeatView.as_view()),
    path(f"{SESSION}/finish", sessions.FinishView.as_view()),
    path(f"{SESSION}/pause", sessions.PauseView.as_view()),
    path(f"{SESSION}/resume", sessions.ResumeView.as_view()),
    path(f"{SESSION}/stop", sessions.StopView.as_view()),
    path(f"{SESSION}/retry", sessions.RetryView.as_view()),
    path(f"{SESSION}/tools/<toolname:tool>", sessions.ToolCallView.as_view()),
    path(f"{RELATIONSHIP}/held-changes", sessions.HeldChangesView.as_view()),
    path(f"{RELATIONSHIP}/held-changes/<uuid:change_id>/decide", sessions.HeldChangeView.as_view()),
    path(f"{COMPANION}/tools", tools.ToolsView.as_view()),
    path(f"{COMPANION}/tools/<toolname:tool>", tools.ToolView.as_view()),
    path(f"{COMPANION}/tool-secrets", tools.SecretsView.as_view()),
    path(f"{COMPANION}/tool-secrets/<toolname:secret>", tools.SecretView.as_view()),
]
