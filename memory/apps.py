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
        from memory import checks

        assert checks  # importing it registers them
