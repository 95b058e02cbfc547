from typing import ClassVar

from django.apps import AppConfig


class WorkspaceConfig(AppConfig):
    name = "workspace"
    configuration_sections: ClassVar = {
        "workspace": "workspace.configuration.Workspace",
    }
