"""`seq`: the order of everything that happens in a relationship.

Timestamps and UUIDs do not follow commit order. This number does: it is taken by an UPDATE of the relationship's row,
which stays locked until the transaction that took it ends.
"""

from uuid import UUID

from django.db import connection

from relationships.errors import NotFound


def allocate_seq(relationship_id: UUID, *, count: int) -> int:
    """The first of `count` numbers in a row. Locks the relationship's row. Raises NotFound."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE relationships_relationship SET last_seq = last_seq + %s WHERE id = %s RETURNING last_seq",
            [count, relationship_id],
        )
        row = cursor.fetchone()
    if row is None:
        raise NotFound("This relationship is not there.")
    last: int = row[0]
    return last - count + 1


def lock_relationship(relationship_id: UUID) -> bool:
    """Hold the relationship's row until the transaction ends: the one lock that serialises its writers."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM relationships_relationship WHERE id = %s FOR UPDATE", [relationship_id])
        return cursor.fetchone() is not None
