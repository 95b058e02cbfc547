from typing import ClassVar

from django.apps import AppConfig


class WorkspaceConfig(AppConfig):
    name = "workspace"
    configuration_sections: ClassVar = {"workspace": "workspace.configuration.Workspace"}

    def ready(self) -> None:
        from memory.entries.history import change_listeners
        from relationships.services.hiding import hiding_listeners
        from workspace.deleted_entries import follow_entries
        from workspace.redaction import withhold_recalled

        change_listeners.append(follow_entries)
        hiding_listeners.append(withhold_recalled)
