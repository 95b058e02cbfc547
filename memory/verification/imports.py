"""Which relationships were imported: what they brought along may name keys, accounts and calls of elsewhere."""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.db import connection

_IMPORTS = """
SELECT DISTINCT ON (a.target_id) a.target_id, a.recorded_at, a.detail -> 'imported' ? 'model_call'
  FROM relationships_auditevent a
 WHERE a.project_id IN (SELECT project_id FROM relationships_relationship WHERE id = ANY(%(ids)s))
   AND a.action = 'relationship.imported' AND a.target_id = ANY(%(ids)s)
 ORDER BY a.target_id, a.recorded_at DESC
"""


class Import(NamedTuple):
    """When it was, and whether what models were asked came with it."""

    at: datetime
    with_calls: bool


def imports_of(relationship_ids: Collection[UUID]) -> dict[UUID, Import]:
    """Of those that were imported, by the audit trail. No statement where none is asked about."""
    if not relationship_ids:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_IMPORTS, {"ids": list(relationship_ids)})
        return {owner_id: Import(at, with_calls) for owner_id, at, with_calls in cursor.fetchall()}
