"""Conversations from a file: the demo plays one through REST, the import passes one to the services."""
