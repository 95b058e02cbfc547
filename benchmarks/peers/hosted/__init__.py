"""The peers, each served by its own process (host.py)."""
