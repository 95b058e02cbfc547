"""`seq`: the order of everything that happens in a relationship.

Timestamps and UUIDs do not follow commit order. This number does: it is taken by an UPDATE of the relationship's row,
which stays locked until the transaction that took it ends.
"""

from datetime import datetime
from uuid import UUID

from config.postgresql.sessions import execute
from web.errors import NotFound

# The statement reads the relationship's row anyway, so it returns the configuration at no extra cost.
TAKE_NUMBERS = """
UPDATE relationships_relationship r
   SET last_seq = r.last_seq + %(count)s
  FROM relationships_companion c, relationships_project p
 WHERE r.id = %(relationship)s AND c.id = r.companion_id AND p.id = r.project_id
RETURNING r.last_seq, p.config::text AS project, c.config::text AS companion, r.config::text AS relationship,
          r.language = '' AND r.message_count = 0
"""


def allocate_seq(relationship_id: UUID, *, count: int) -> int:
    """Take `count` consecutive numbers, and return the first. Locks the row. Raises NotFound."""
    rows = execute(TAKE_NUMBERS, {"count": count, "relationship": relationship_id})
    if not rows:
        raise NotFound("This relationship does not exist.")
    last: int = rows[0][0]
    return last - count + 1


def lock_relationship(relationship_id: UUID) -> bool:
    """Lock the relationship's row until the transaction ends: the one lock that serialises its writers.

    Return whether the row exists.
    """
    locked = execute("SELECT 1 FROM relationships_relationship WHERE id = %s FOR UPDATE", [relationship_id])
    return bool(locked)


def lives_on(relationship_id: UUID, *, since: datetime) -> bool:
    """Return whether it is still the relationship that was created then: one that begins anew for the same pair after
    an erasure has the same ID. Until the transaction ends, nothing of it is erased.
    """
    asked = "SELECT 1 FROM relationships_relationship WHERE id = %s AND created_at = %s FOR KEY SHARE"
    return bool(execute(asked, [relationship_id, since]))
