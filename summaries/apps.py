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

        change_listeners += [hide_in_summaries, renew_corrected]
        hiding_listeners.append(follow_hidden_messages)
        turn_listeners.append(owe_at_points)
