from collections.abc import Iterator, Sequence
from datetime import datetime

from psycopg import sql

from upkeep.verification.invariant import Finding, Invariant, Level, Page, Problem, execute, rows

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
MISSING = Problem(
    "trigger_missing",
    "a trigger that a migration made is not there",
    "The schema was restored in part. Restore it whole, or make the trigger as its migration does.",
)
DISABLED = Problem("trigger_disabled", "a trigger is switched off, as some restores leave it")
NOT_VALIDATED = Problem(
    "constraint_not_validated",
    "a constraint was never held against the rows that are there",
    "ALTER TABLE ... VALIDATE CONSTRAINT ...; it names the rows that break it.",
)
BROKEN_INDEX = Problem(
    "index_invalid", "the database says of an index that it is not valid", "REINDEX INDEX CONCURRENTLY ..."
)

_TRIGGERS = """
SELECT tgname::text, tgrelid::regclass::text, tgenabled::text FROM pg_trigger
 WHERE NOT tgisinternal AND tgname = ANY(%(names)s)
"""
_CONSTRAINTS = """
SELECT conrelid::regclass::text, conname::text FROM pg_constraint
 WHERE NOT convalidated AND connamespace = current_schema()::regnamespace
"""
# An index that a REINDEX CONCURRENTLY is making is not valid yet.
_INDEXES = r"""
SELECT c.relname::text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
 WHERE NOT i.indisvalid AND c.relnamespace = current_schema()::regnamespace
   AND c.relname !~ '_ccnew\d*$' AND c.relname !~ '_ccold\d*$'
"""


class SchemaInvariant(Invariant):
    slug = "schema"
    promise = (
        "The triggers that keep history append-only are there and work; constraints and indexes are valid."
    )
    level = Level.DATABASE

    def check(self, page: Page, *, now: datetime) -> Iterator[Finding]:
        there = {(name, table): state for name, table, state in rows(_TRIGGERS, page, names=list(TRIGGERS))}
        for name, tables in TRIGGERS.items():
            for table in tables:
                if (name, table) not in there:
                    yield Finding(MISSING, None, detail=f"{name} on {table}")
        for (name, table), state in there.items():
            if state not in "OA":
                yield Finding(DISABLED, None, detail=f"{name} on {table}")
        for table, name in rows(_CONSTRAINTS, page):
            yield Finding(NOT_VALIDATED, None, detail=f"{name} on {table}")
        for (name,) in rows(_INDEXES, page):
            yield Finding(BROKEN_INDEX, None, detail=name)

    def repair(self, findings: Sequence[Finding], *, now: datetime) -> None:
        """Who waits for this lock holds everybody else up, so it gives up soon."""
        execute("SET LOCAL lock_timeout = '3s'", {})
        for finding in findings:
            name, _, table = finding.detail.partition(" on ")
            switch_on = sql.SQL("ALTER TABLE {} ENABLE TRIGGER {}")
            execute(switch_on.format(sql.Identifier(table), sql.Identifier(name)), {})
