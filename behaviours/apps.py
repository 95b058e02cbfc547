from typing import ClassVar

from django.apps import AppConfig


class BehavioursConfig(AppConfig):
    name = "behaviours"
    configuration_sections: ClassVar = {
        "behaviours": "behaviours.configuration.Behaviours",
        "webhooks": "behaviours.configuration.Webhooks",
    }

    def ready(self) -> None:
        from behaviours.owed import owe_runs, owe_schedules
        from memory.ingestion.intake import turn_listeners
        from relationships.services.relationships import relationship_listeners

        turn_listeners.append(owe_runs)
        relationship_listeners.append(owe_schedules)
