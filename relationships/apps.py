from django.apps import AppConfig


class RelationshipsConfig(AppConfig):
    name = "relationships"
