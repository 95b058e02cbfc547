"""How many bytes each table takes, its partitions taken together."""

from typing import NamedTuple

from django.db import connection

_SIZES = """
SELECT coalesce(p.inhparent, c.oid)::regclass::text,
       sum(pg_table_size(c.oid) - pg_relation_size(c.oid, 'fsm') - pg_relation_size(c.oid, 'vm'))::bigint,
       sum(pg_indexes_size(c.oid))::bigint
  FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
  LEFT JOIN pg_inherits p ON p.inhrelid = c.oid
 WHERE c.relkind = 'r' AND n.nspname = 'public'
 GROUP BY 1
"""


class Size(NamedTuple):
    """Bytes."""

    rows: int
    indexes: int

    @property
    def whole(self) -> int:
        return self.rows + self.indexes


def sizes() -> dict[str, Size]:
    """By table, the largest first."""
    with connection.cursor() as cursor:
        cursor.execute(_SIZES)
        found = {name: Size(rows, indexes) for name, rows, indexes in cursor.fetchall()}
    return dict(sorted(found.items(), key=lambda item: -item[1].whole))
