from typing import ClassVar

from django.apps import AppConfig


class KnowledgeConfig(AppConfig):
    name = "knowledge"
    configuration_sections: ClassVar = {
        "knowledge": "knowledge.configuration.Knowledge",
    }
