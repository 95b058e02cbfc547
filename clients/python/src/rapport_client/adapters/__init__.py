"""The memory interfaces of agent frameworks, on Rapport. Each module needs its framework, which is an extra."""
