"""Conversations from a file: the demo plays one through REST, the import hands one to the services."""
