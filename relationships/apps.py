from django.apps import AppConfig


class RelationshipsConfig(AppConfig):
    name = "relationships"

    def ready(self) -> None:
        from relationships import checks

        assert checks  # importing it registers them
