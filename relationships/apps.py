from typing import ClassVar

from django.apps import AppConfig


class RelationshipsConfig(AppConfig):
    name = "relationships"
    configuration_sections: ClassVar = {
        "profile": "relationships.configuration.schema.Profiles",
        "sessions": "relationships.configuration.schema.Sessions",
    }
