"""What an outsider would bring: named in settings.PLUGINS, so that a configuration may name it by dotted path."""
