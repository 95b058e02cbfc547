"""Walks over all relationships, or all companions, in order of their IDs: a keyset walk, without a long cursor."""

from collections.abc import Iterator
from uuid import UUID

from django.db import connection

from memory.verification.base import Page
from relationships.models import Companion, Relationship

OWNERS_A_PAGE = 1_000
# Every turn, message and revision took a number of `last_seq`, so it tells how much a page brings with it.
ROWS_A_PAGE = 50_000

FIRST, LAST = UUID(int=0), UUID(int=(1 << 128) - 1)

_RELATIONSHIPS = """
WITH next AS MATERIALIZED (
    SELECT id, last_seq FROM relationships_relationship
     WHERE id >= %(first)s AND (%(project)s::uuid IS NULL OR project_id = %(project)s) ORDER BY id LIMIT %(most)s
), summed AS (
    SELECT id, sum(last_seq) OVER (ORDER BY id) - last_seq AS before FROM next
)
SELECT id, (SELECT count(*) FROM next) FROM summed WHERE before < %(rows)s ORDER BY id
"""


def relationship_pages(project_id: UUID | None = None) -> Iterator[Page]:
    """At most OWNERS_A_PAGE each, and fewer where they hold much. Together they cover every ID there may be."""
    first = FIRST
    while True:
        with connection.cursor() as cursor:
            told = {"first": first, "project": project_id, "most": OWNERS_A_PAGE, "rows": ROWS_A_PAGE}
            cursor.execute(_RELATIONSHIPS, told)
            found = cursor.fetchall()
        ids = tuple(row[0] for row in found)
        if len(ids) < OWNERS_A_PAGE and (not found or found[0][1] == len(ids)):
            yield Page(ids, first, LAST, project_id)
            return
        yield Page(ids, first, ids[-1], project_id)
        first = UUID(int=ids[-1].int + 1)


def companion_pages(project_id: UUID | None = None) -> Iterator[Page]:
    first = FIRST
    while True:
        owners = Companion.objects.filter(id__gte=first).order_by("id")
        if project_id is not None:
            owners = owners.filter(project_id=project_id)
        ids = tuple(owners.values_list("id", flat=True)[:OWNERS_A_PAGE])
        if len(ids) < OWNERS_A_PAGE:
            yield Page(ids, first, LAST, project_id)
            return
        yield Page(ids, first, ids[-1], project_id)
        first = UUID(int=ids[-1].int + 1)


def count_relationships(project_id: UUID | None = None) -> int:
    owners = Relationship.objects.all()
    return (owners.filter(project_id=project_id) if project_id is not None else owners).count()
