"""Removes entries that nobody has touched for long, by a configured policy, visibly, and so that it can be undone."""
