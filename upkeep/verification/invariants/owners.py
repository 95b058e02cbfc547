from collections.abc import Iterator, Sequence
from datetime import datetime
from uuid import UUID

from django.apps import apps
from django.db.models import Model
from psycopg import sql

from upkeep.erasure.permit import erasing
from upkeep.erasure.relationships import owned_models
from upkeep.verification.invariant import Finding, Invariant, Page, Problem, execute, rows

ORPHAN = Problem("orphan", "a row belongs to a relationship that is not there, so to nobody")
OTHER_PROJECT = Problem("other_project", "a row names another project than its relationship does")

_ONE = """
SELECT {label}, t.relationship_id, t.id, r.id IS NULL
  FROM {table} t LEFT JOIN relationships_relationship r ON r.id = t.relationship_id
 WHERE t.relationship_id BETWEEN %(first)s AND %(last)s
   AND (r.id IS NULL OR r.project_id <> t.project_id)
   AND (%(project)s::uuid IS NULL OR %(project)s IN (t.project_id, r.project_id))
"""
_DROP = "DELETE FROM {table} WHERE relationship_id = %(owner)s AND id = ANY(%(rows)s)"
_MOVE = """
UPDATE {table} t SET project_id = r.project_id FROM relationships_relationship r
 WHERE r.id = t.relationship_id AND t.relationship_id = %(owner)s AND t.id = ANY(%(rows)s)
"""


class OwnersInvariant(Invariant):
    slug = "owners"
    promise = "Every row of a relationship's tables belongs to one that is there, and names its project."

    def check(self, page: Page, *, now: datetime) -> Iterator[Finding]:
        for label, owner_id, row_id, orphan in rows(_statement(), page):
            yield Finding(ORPHAN if orphan else OTHER_PROJECT, owner_id, row_id, label)

    def repair(self, findings: Sequence[Finding], *, now: datetime) -> None:
        """Rows of nobody go, as an erasure would take them; the others get the project of their relationship."""
        with erasing():
            for problem, statement in ((ORPHAN, _DROP), (OTHER_PROJECT, _MOVE)):
                for label in {finding.detail for finding in findings if finding.problem == problem}:
                    mine = [f for f in findings if (f.problem, f.detail) == (problem, label)]
                    _carry_out(statement, apps.get_model(label), mine[0].owner_id, [f.row_id for f in mine])


def _statement() -> sql.Composed:
    return sql.SQL(" UNION ALL ").join(
        sql.SQL(_ONE).format(label=sql.Literal(model._meta.label), table=sql.Identifier(model._meta.db_table))
        for model in owned_models()
    )


def _carry_out(
    statement: str, model: type[Model], owner_id: UUID | None, row_ids: Sequence[UUID | None]
) -> None:
    composed = sql.SQL(statement).format(table=sql.Identifier(model._meta.db_table))
    execute(composed, {"owner": owner_id, "rows": list(row_ids)})
