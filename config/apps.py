from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class ConfigConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        autodiscover_modules("checks")  # of every room; importing them registers their checks
