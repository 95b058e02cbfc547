"""`make bench-peers`: compare Rapport with its alternatives on one machine, in one run."""
