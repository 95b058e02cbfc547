"""What a choice from many rows can't tell by itself: figures of all rows, taken when an index is made or counted."""

from typing import Any

from django.db import connection
from pgvector import Vector
from psycopg import sql

from memory.models import IndexPurpose
from memory.retrieval.large.statements import IndexKey, covered

_OF_TEXT = "SELECT count(*), coalesce(avg(length), 0)::float8 FROM memory_searchtext s WHERE {} AND s.state = 'active'"
# The mean of all cosines with a question is the question's inner product with the mean of all unit vectors.
_OF_VECTORS = """
SELECT count(*), avg(e.vector::vector) FILTER (WHERE s.state = 'active')::text FROM memory_embedding e
  LEFT JOIN memory_searchtext s
    ON s.relationship_id = e.relationship_id AND s.kind = e.kind AND s.owner_id = e.owner_id
 WHERE {}
"""


def take_means(key: IndexKey) -> dict[str, Any]:
    """Columns of LargeIndex."""
    with connection.cursor() as cursor:
        if key.purpose == IndexPurpose.TEXT:
            cursor.execute(sql.SQL(_OF_TEXT).format(covered(key, "s")))
            rows, mean_length = cursor.fetchone()
            return {"rows": rows, "mean_length": mean_length}
        if key.purpose == IndexPurpose.NEAREST:
            cursor.execute(sql.SQL(_OF_VECTORS).format(covered(key, "e")))
            rows, mean = cursor.fetchone()
            return {"rows": rows, "mean": Vector.from_text(mean) if mean else None}
    return {}
