"""Plugins for tests. They are in settings.PLUGINS, so that a configuration may name them by dotted path."""
