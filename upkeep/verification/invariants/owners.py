from collections.abc import Iterator, Sequence
from datetime import datetime

from django.apps import apps
from psycopg import sql

from upkeep.erasure.allow_erasure import erasing
from upkeep.erasure.relationships import owned_models
from upkeep.verification.invariant import Finding, Invariant, Page, Problem, execute, rows

ORPHAN = Problem("orphan", "a row belongs to a relationship that is not there, so to nobody")
OTHER_PROJECT = Problem("other_project", "a row names another project than its relationship does")

_ONE = """
SELECT t.relationship_id, t.id, {label}, r.id IS NULL
  FROM {table} t LEFT JOIN relationships_relationship r ON r.id = t.relationship_id
 WHERE t.relationship_id BETWEEN %(first)s AND %(last)s
   AND (r.id IS NULL OR r.project_id <> t.project_id)
   AND (%(project)s::uuid IS NULL OR %(project)s IN (t.project_id, r.project_id))
"""
_DROP = "DELETE FROM {table} WHERE relationship_id = %(owner)s AND id = %(row)s"
_MOVE = """
UPDATE {table} t SET project_id = r.project_id FROM relationships_relationship r
 WHERE r.id = t.relationship_id AND t.relationship_id = %(owner)s AND t.id = %(row)s
"""


class OwnersInvariant(Invariant):
    slug = "owners"
    promise = "Every row of a relationship's tables belongs to one that is there, and names its project."
    problems = (ORPHAN, OTHER_PROJECT)

    def check(self, page: Page, *, now: datetime) -> Iterator[Finding]:
        for *found, orphan in rows(_statement(), page):
            yield Finding(ORPHAN if orphan else OTHER_PROJECT, *found)

    def repair(self, findings: Sequence[Finding], *, now: datetime) -> None:
        """Rows of nobody go, as an erasure would take them; the others get the project of their relationship."""
        with erasing():
            for finding in findings:
                table = apps.get_model(finding.detail)._meta.db_table
                statement = sql.SQL(_DROP if finding.problem == ORPHAN else _MOVE)
                told = {"owner": finding.owner_id, "row": finding.row_id}
                execute(statement.format(table=sql.Identifier(table)), told)


def _statement() -> sql.Composed:
    return sql.SQL(" UNION ALL ").join(
        sql.SQL(_ONE).format(label=sql.Literal(model._meta.label), table=sql.Identifier(model._meta.db_table))
        for model in owned_models()
    )
