"""What time does to entries that nobody touches: by a policy of the configuration, visibly, and to be undone."""
