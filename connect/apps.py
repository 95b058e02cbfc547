from typing import ClassVar

from django.apps import AppConfig


class ConnectConfig(AppConfig):
    name = "connect"
    configuration_sections: ClassVar = {
        "events": "connect.configuration.Events",
    }

    def ready(self) -> None:
        from connect.events.owed import (
            owe_after_change,
            owe_after_outcome,
            owe_after_session,
            owe_after_turn,
        )
        from memory.entries.history import change_listeners
        from memory.ingestion.claim import outcome_listeners
        from memory.ingestion.intake import turn_listeners
        from relationships.services.sessions import end_listeners

        turn_listeners.append(owe_after_turn)
        change_listeners.append(owe_after_change)
        end_listeners.append(owe_after_session)
        outcome_listeners.append(owe_after_outcome)
