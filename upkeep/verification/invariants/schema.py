from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from django.apps import apps
from psycopg import sql

from config.postgresql.migrations import missing_columns
from config.postgresql.sessions import execute
from upkeep.erasure.allow_erasure import erasing
from upkeep.erasure.relationships import owned_models
from upkeep.verification.invariant import Finding, Invariant, Level, Page, Problem, rows

TRIGGERS = {
    "append_only": (
        "memory_entryrevision",
        "memory_modelcall",
        "relationships_auditevent",
        "relationships_message",
        "relationships_profilerevision",
    ),
    "decayed_entry_changed": ("memory_scratchpadentry",),
    "decayed_vector_written": ("memory_embedding",),
    "decayed_vector_deleted": ("memory_embedding",),
}

_TRIGGERS = """
SELECT CASE WHEN t.tgname IS NULL THEN 'trigger_missing' ELSE 'trigger_disabled' END, NULL, NULL,
       concat(w.name, ' on ', w.held_by)
  FROM unnest(%(names)s::text[], %(tables)s::text[]) w (name, held_by)
  LEFT JOIN pg_trigger t ON t.tgname = w.name AND t.tgrelid = to_regclass(w.held_by) AND NOT t.tgisinternal
 WHERE t.tgname IS NULL OR t.tgenabled NOT IN ('O', 'A')
"""
_CONSTRAINTS = """
SELECT 'constraint_not_validated', NULL, NULL, concat(conname, ' on ', conrelid::regclass) FROM pg_constraint
 WHERE NOT convalidated AND connamespace = current_schema()::regnamespace
"""
# An index that REINDEX CONCURRENTLY is building is not valid yet.
_INDEXES = r"""
SELECT 'index_invalid', NULL, NULL, c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
 WHERE NOT i.indisvalid AND c.relnamespace = current_schema()::regnamespace
   AND c.relname !~ '_ccnew\d*$' AND c.relname !~ '_ccold\d*$'
"""

COLUMN_MISSING = Problem(
    "column_missing",
    "a column that this version needs does not exist, though all migrations are applied",
    "The schema was restored in part, or made before a migration was rewritten. Restore it whole, or export "
    "with the version that made it and import.",
)


class SchemaInvariant(Invariant):
    slug = "schema"
    promise = (
        "Every column is there; the triggers that keep history append-only are there and work; "
        "constraints and indexes are valid."
    )
    level = Level.DATABASE
    problems = (
        COLUMN_MISSING,
        Problem(
            "trigger_missing",
            "a trigger that a migration made does not exist",
            "The schema was restored in part. Restore it whole, or make the trigger as its migration does.",
        ),
        Problem("trigger_disabled", "a trigger is switched off, as some restores leave it"),
        Problem(
            "constraint_not_validated",
            "a constraint was never held against the rows that are there",
            "ALTER TABLE ... VALIDATE CONSTRAINT ...; it names the rows that break it.",
        ),
        Problem(
            "index_invalid",
            "the database says of an index that it is not valid",
            "REINDEX INDEX CONCURRENTLY ...",
        ),
    )
    statements = (_TRIGGERS, _CONSTRAINTS, _INDEXES)

    def check(self, page: Page, *, now: datetime) -> Iterator[Finding]:
        for name in missing_columns():
            yield Finding(COLUMN_MISSING, None, None, name)
        yield from super().check(page, now=now)

    def told(self, page: Page, *, now: datetime) -> dict[str, Any]:
        return {
            "names": [name for name, tables in TRIGGERS.items() for _ in tables],
            "tables": [table for tables in TRIGGERS.values() for table in tables],
        }

    def repair(self, owner_id: Any, findings: Sequence[Finding], *, now: datetime) -> None:
        """Repair with a short lock timeout, as waiting for this lock blocks everybody else."""
        execute("SET LOCAL lock_timeout = '3s'")
        for finding in findings:
            name, _, table = finding.detail.partition(" on ")
            switch_on = sql.SQL("ALTER TABLE {} ENABLE TRIGGER {}")
            execute(switch_on.format(sql.Identifier(table), sql.Identifier(name)))


ORPHAN = Problem("orphan", "a row belongs to a relationship that does not exist, so to nobody")
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
        of_each = sql.SQL(" UNION ALL ").join(
            sql.SQL(_ONE).format(label=sql.Literal(meta.label), table=sql.Identifier(meta.db_table))
            for meta in (model._meta for model in owned_models())
        )
        for *found, orphan in rows(of_each, page):
            yield Finding(ORPHAN if orphan else OTHER_PROJECT, *found)

    def repair(self, owner_id: Any, findings: Sequence[Finding], *, now: datetime) -> None:
        """Delete rows without a relationship, as erasure would; give the others their relationship's project."""
        with erasing():
            for finding in findings:
                table = apps.get_model(finding.detail)._meta.db_table
                statement = sql.SQL(_DROP if finding.problem == ORPHAN else _MOVE)
                told = {"owner": finding.owner_id, "row": finding.row_id}
                execute(statement.format(table=sql.Identifier(table)), told)
