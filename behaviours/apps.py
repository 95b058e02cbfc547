from django.apps import AppConfig


class BehavioursConfig(AppConfig):
    name = "behaviours"
