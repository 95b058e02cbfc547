"""`make bench-peers`: Rapport beside what a user would pick instead, on one machine, in one run."""
