from typing import ClassVar

from django.apps import AppConfig


class SummariesConfig(AppConfig):
    name = "summaries"
    configuration_sections: ClassVar = {
        "summaries": "summaries.configuration.Summaries",
    }

    def ready(self) -> None:
        from memory.entries.history import change_listeners
        from memory.ingestion.intake import turn_listeners
        from relationships.services.hiding import hiding_listeners
        from summaries.corrections import renew_corrected
        from summaries.erasing import follow_hidden_messages, hide_in_summaries
        from summaries.owed import owe_at_points

        if hide_in_summaries not in change_listeners:
            change_listeners.append(hide_in_summaries)
        if renew_corrected not in change_listeners:
            change_listeners.append(renew_corrected)
        if follow_hidden_messages not in hiding_listeners:
            hiding_listeners.append(follow_hidden_messages)
        if owe_at_points not in turn_listeners:
            turn_listeners.append(owe_at_points)
