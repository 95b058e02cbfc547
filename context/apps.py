from typing import ClassVar

from django.apps import AppConfig


class ContextConfig(AppConfig):
    name = "context"
    configuration_sections: ClassVar = {
        "context": "context.configuration.Context",
    }
