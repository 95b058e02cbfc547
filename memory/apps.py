from typing import ClassVar

from django.apps import AppConfig


class MemoryConfig(AppConfig):
    name = "memory"
    configuration_sections: ClassVar = {
        "ingestion": "memory.ingestion.configuration.Ingestion",
        "retrieval": "memory.retrieval.configuration.Retrieval",
        "forgetting": "memory.forgetting.configuration.Forgetting",
    }

    def ready(self) -> None:
        from memory.entries.history import change_listeners
        from memory.ingestion.triggers import read_after_session
        from memory.retrieval.index.write import index_changes, index_hidden
        from relationships.services.hiding import hiding_listeners
        from relationships.services.sessions import end_listeners

        change_listeners.append(index_changes)
        hiding_listeners.append(index_hidden)
        end_listeners.append(read_after_session)
