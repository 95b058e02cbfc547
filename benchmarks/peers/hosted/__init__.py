"""A system in a process of its own, which speaks JSON lines (host.py)."""
