from typing import ClassVar

from django.apps import AppConfig


class ChatConfig(AppConfig):
    name = "chat"
    configuration_sections: ClassVar = {
        "chat": "chat.configuration.Chat",
    }
