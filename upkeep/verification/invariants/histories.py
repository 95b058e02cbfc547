"""Each entry's history, from nothing to the present: each change must begin where the previous one ended."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import orjson
from django.db.models import BinaryField, DateTimeField
from psycopg import sql

from config.postgresql.sessions import execute
from memory.entries.fingerprint import content_hash
from memory.entries.history import FIELDS, Change, change_entries, fields_of
from memory.entries.time_travel import differing_fields, entry_of
from memory.models import EntryRevision, RevisionEvent, ScratchpadEntry
from upkeep.verification.invariant import BY_VERIFY, Finding, Invariant, Page, Problem, rows

REASON = "found by manage.py verify: this change is in no history"

DIFFERS = Problem(
    "differs",
    "an entry is not what its last revision says; --repair writes the change into its history, so it can be undone",
)
WITHOUT_HISTORY = Problem("without_history", "an entry has no revision; --repair begins its history")
GONE = Problem(
    "gone",
    "an entry's history goes on, but the entry does not exist; --repair writes it as its history has it",
)
ERASED_BUT_THERE = Problem(
    "erased_but_there",
    "an entry was erased, yet it is there",
    "It was restored from a backup made before: erase it again, with DELETE .../entries/{id}?permanent=true.",
)
BROKEN = Problem(
    "broken",
    "a revision does not begin where the one before it ended, or tells of another entry: one is lost, or was changed",
    "History is never rewritten. Restore the relationship from a backup, or live with the gap: the present is right.",
)

# {row} is written like `fields_of`. What only looks different, such as a time in another zone, is compared again below.
_LAST = """
SELECT e.relationship_id, e.id, {row}::text, last.after::text, e.version, last.entry_version, last.event
  FROM memory_scratchpadentry e LEFT JOIN LATERAL (
       SELECT after, entry_version, event FROM memory_entryrevision
        WHERE relationship_id = e.relationship_id AND entry_id = e.id ORDER BY seq DESC LIMIT 1) last ON true
 WHERE e.relationship_id = ANY(%(ids)s)
   AND (last.entry_version IS DISTINCT FROM e.version OR last.event = 'redact' OR last.after <> {row})
"""
# Erased revisions have no text to compare; but their versions still count.
_CHAIN = """
SELECT r.relationship_id, r.entry_id, r.seq, r.before::text, r.earlier::text, r.broken
  FROM (SELECT id FROM relationships_relationship WHERE id = ANY(%(ids)s)) w, LATERAL (
       SELECT *, lag(after) OVER story AS earlier,
              CASE WHEN row_number() OVER story = 1 THEN before IS NOT NULL
                   ELSE before IS NULL AND redacted_at IS NULL
                        OR entry_version <> lag(entry_version) OVER story + (event <> 'none')::int END
              OR before->>'id' <> entry_id::text OR after->>'id' <> entry_id::text AS broken
         FROM memory_entryrevision WHERE relationship_id = w.id
       WINDOW story AS (PARTITION BY entry_id ORDER BY seq)) r
 WHERE r.broken OR r.before <> r.earlier
"""
_GONE = """
SELECT last.relationship_id, last.entry_id, last.after IS NULL
  FROM (SELECT id FROM relationships_relationship WHERE id = ANY(%(ids)s)) w, LATERAL (
       SELECT DISTINCT ON (entry_id) * FROM memory_entryrevision
        WHERE relationship_id = w.id ORDER BY entry_id, seq DESC) last
  LEFT JOIN LATERAL (
       SELECT id FROM memory_scratchpadentry WHERE relationship_id = w.id AND id = last.entry_id LIMIT 1) e ON true
 WHERE last.event <> 'redact' AND e.id IS NULL
"""


class HistoriesInvariant(Invariant):
    slug = "histories"
    promise = "An entry's history begins with nothing, has no gap, and ends with what the entry says now."
    problems = (DIFFERS, WITHOUT_HISTORY, GONE, ERASED_BUT_THERE, BROKEN)

    def check(self, page: Page, *, now: datetime) -> Iterator[Finding]:
        statement = sql.SQL(_LAST).format(row=_row_as_json())
        for owner_id, entry_id, row, after, version, last_version, event in rows(statement, page):
            differing = _differing(row, after) if after else []
            if event is None:
                yield Finding(WITHOUT_HISTORY, owner_id, entry_id)
            elif event == RevisionEvent.REDACT:
                yield Finding(ERASED_BUT_THERE, owner_id, entry_id)
            elif differing or version != last_version:
                yield Finding(DIFFERS, owner_id, entry_id, " ".join(differing) or "version")
        for owner_id, entry_id, seq, before, earlier, broken in rows(_CHAIN, page):
            differing = [] if broken else _differing(before, earlier)
            if broken or differing:
                yield Finding(BROKEN, owner_id, entry_id, " ".join([f"at seq {seq}", *differing]))
        for owner_id, entry_id, without_words in rows(_GONE, page):
            yield Finding(BROKEN if without_words else GONE, owner_id, entry_id, "the entry does not exist")

    def repair(self, owner_id: Any, findings: Sequence[Finding], *, now: datetime) -> None:
        entries = ScratchpadEntry.objects.for_relationship(owner_id)
        wrong = {entry.id: entry for entry in entries.filter(id__in=[finding.row_id for finding in findings])}
        revisions = EntryRevision.objects.for_relationship(owner_id)
        changes = []
        for finding in findings:
            last: Any = revisions.filter(entry_id=finding.row_id).order_by("seq").last()
            if finding.problem == GONE:
                entry_of(last.after, owner_id, last.project_id).save(force_insert=True)
            elif finding.row_id in wrong:
                changes.append(_written_down(wrong[finding.row_id], last, now))
        for project_id in {entry.project_id for entry in wrong.values()}:
            owner = {"relationship_id": owner_id, "project_id": project_id}
            change_entries(**owner, changes=changes, by=BY_VERIFY, now=now, stood_before=True)


def _written_down(entry: ScratchpadEntry, last: Any, now: datetime) -> Change:
    """The change from the last revision to the present row; or an addition, if there is none."""
    if last is None:
        return Change(RevisionEvent.ADD, None, fields_of(entry), entry.effective_at, REASON)
    before = last.after or fields_of(entry)
    entry.version = last.entry_version + 1
    return Change(RevisionEvent.UPDATE, before, fields_of(entry), now, REASON, entry=entry)


def _differing(one: str, other: str) -> list[str]:
    return differing_fields(orjson.loads(one), orjson.loads(other))


def _row_as_json() -> sql.Composed:
    """`fields_of` in SQL."""
    kinds = {field.attname: field for field in ScratchpadEntry._meta.concrete_fields}
    parts: list[sql.Composable] = []
    for name in FIELDS:
        column = sql.Identifier("e", name)
        if isinstance(kinds[name], DateTimeField):
            told = (
                "replace(to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US+00:00'), '.000000', '')"
            )
        elif isinstance(kinds[name], BinaryField):
            told = "encode({}, 'hex')"
        else:
            told = "{}"
        parts += [sql.Literal(name), sql.SQL(told).format(column)]
    return sql.SQL("jsonb_build_object({})").format(sql.SQL(", ").join(parts))


WRONG = Problem("wrong", "an entry's fingerprint is not that of its content, so the same could be kept twice")

_CONTENTS = """
SELECT e.relationship_id, e.id, e.content, e.content_hash
  FROM memory_scratchpadentry e WHERE e.relationship_id = ANY(%(ids)s)
"""
_PUT_RIGHT = """
UPDATE memory_scratchpadentry SET content_hash = %(hash)s WHERE relationship_id = %(owner)s AND id = %(row)s
"""


class FingerprintsInvariant(Invariant):
    """Checked before the histories, as a fingerprint repaired here should then match the last revision."""

    slug = "fingerprints"
    promise = "An entry's fingerprint is that of its content."
    problems = (WRONG,)

    def check(self, page: Page, *, now: datetime) -> Iterator[Finding]:
        for owner_id, row_id, content, fingerprint in rows(_CONTENTS, page):
            if bytes(fingerprint) != content_hash(content):
                yield Finding(WRONG, owner_id, row_id)

    def repair(self, owner_id: Any, findings: Sequence[Finding], *, now: datetime) -> None:
        """Write the right fingerprints. The unique index refuses one if another active entry says the same."""
        wrong = [finding.row_id for finding in findings]
        entries = ScratchpadEntry.objects.for_relationship(owner_id).filter(id__in=wrong)
        for row_id, content in entries.values_list("id", "content"):
            told = {"owner": owner_id, "row": row_id, "hash": content_hash(content)}
            execute(_PUT_RIGHT, told)
