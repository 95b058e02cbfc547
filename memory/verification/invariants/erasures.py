from collections.abc import Iterator, Sequence
from datetime import datetime
from uuid import UUID

from memory.services.erasure.permit import erasing
from memory.verification.base import Finding, Invariant, Page, Problem, owner_of
from memory.verification.statements import execute, rows

WORDS = Problem("words", "a row is marked as erased, and holds words")

_TABLES = {
    "relationships_message": ("erased_at IS NOT NULL AND content <> ''", "content = ''"),
    "memory_entryrevision": (
        "redacted_at IS NOT NULL AND (before IS NOT NULL OR after IS NOT NULL OR reason <> '')",
        "before = NULL, after = NULL, reason = ''",
    ),
    "memory_modelcall": (
        "redacted_at IS NOT NULL AND (system, prompt, answer, error) <> ('', '', '', '')",
        "system = '', prompt = '', answer = '', error = ''",
    ),
}
_WORDY = "SELECT '{table}', relationship_id, id FROM {table} WHERE relationship_id = ANY(%(ids)s) AND {wordy}"
_EMPTY = "UPDATE {table} SET {empty} WHERE relationship_id = %(owner)s AND id = ANY(%(rows)s)"
_ROWS = " UNION ALL ".join(_WORDY.format(table=table, wordy=wordy) for table, (wordy, _) in _TABLES.items())


class ErasuresInvariant(Invariant):
    slug = "erasures"
    promise = "What is marked as erased holds no words."

    def look(self, page: Page, *, now: datetime) -> Iterator[Finding]:
        for table, owner_id, row_id in rows(_ROWS, page):
            yield Finding(WORDS, owner_id, row_id, table)

    def mend(self, findings: Sequence[Finding], *, now: datetime) -> None:
        """Finish the erasure."""
        by_table: dict[str, list[UUID | None]] = {}
        for finding in findings:
            by_table.setdefault(finding.detail, []).append(finding.row_id)
        with erasing():
            for table, row_ids in by_table.items():
                statement = _EMPTY.format(table=table, empty=_TABLES[table][1])
                execute(statement, {"owner": owner_of(findings), "rows": row_ids})
