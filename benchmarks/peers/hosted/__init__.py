"""A system in a process of its own, which speaks JSON lines (host.py). Only rapport_peer.py imports Rapport."""
