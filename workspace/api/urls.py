"""The routes of a relationship's files under /v1."""

from django.urls import URLPattern, path, register_converter

from web.openapi import PATH_SCHEMAS
from workspace.api.file_tools import DefinitionsView, FileToolsView
from workspace.api.files import FilesView, FileView
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


class ShaConverter:
    """Git's SHA-1 in hex."""

    regex = "[0-9a-f]{40}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(ShaConverter, "sha")
PATH_SCHEMAS["sha"] = {"type": "string", "pattern": "^[0-9a-f]{40}$"}
PATH_SCHEMAS["path"] = {
    "type": "string",
    "minLength": 1,
    "maxLength": 1024,
    "pattern": r"^[^/\x00-\x1f\x7f][^\x00-\x1f\x7f]*$",
}

RELATIONSHIP = "relationships/<uuid:relationship_id>"
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
]
