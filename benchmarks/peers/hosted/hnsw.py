"""Builds a table's HNSW indexes after many rows were loaded, as a restore does: row by row takes three times as long.

They are the system's own, by their own definitions.
"""

# A row for each index: how to drop it, and how it was defined.
INDEXES_OF = """
SELECT 'DROP INDEX ' || indexname AS drop, indexdef AS make FROM pg_indexes
WHERE tablename = %s AND indexdef ILIKE '%%USING hnsw%%'
"""
# Enough for the graph of 100,000 rows; in one process, as another system is loaded beside it.
ROOM = ("SET maintenance_work_mem = '512MB'", "SET max_parallel_maintenance_workers = 0")
GIVE_BACK = ("RESET maintenance_work_mem", "RESET max_parallel_maintenance_workers")
