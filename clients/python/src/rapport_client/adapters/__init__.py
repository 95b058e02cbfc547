"""Rapport behind the memory interfaces of agent frameworks. Each module needs its framework: see the extras."""
