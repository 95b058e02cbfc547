from collections.abc import Iterator, Sequence
from datetime import datetime

from memory.entries.fingerprint import content_hash
from memory.models import ScratchpadEntry
from upkeep.verification.invariant import Finding, Invariant, Page, Problem, execute, owner_of, rows

WRONG = Problem("wrong", "an entry's fingerprint is not that of its content, so the same could be kept twice")

_CONTENTS = """
SELECT e.relationship_id, e.id, e.content, e.content_hash
  FROM memory_scratchpadentry e WHERE e.relationship_id = ANY(%(ids)s)
"""
_PUT_RIGHT = """
UPDATE memory_scratchpadentry SET content_hash = %(hash)s WHERE relationship_id = %(owner)s AND id = %(row)s
"""


class FingerprintsInvariant(Invariant):
    """Before the histories: a fingerprint that is put right here is what the last revision says, if that was right."""

    slug = "fingerprints"
    promise = "An entry's fingerprint is that of its content."
    problems = (WRONG,)

    def check(self, page: Page, *, now: datetime) -> Iterator[Finding]:
        for owner_id, row_id, content, fingerprint in rows(_CONTENTS, page):
            if bytes(fingerprint) != content_hash(content):
                yield Finding(WRONG, owner_id, row_id)

    def repair(self, findings: Sequence[Finding], *, now: datetime) -> None:
        """Refused by the unique index where another active entry says the same: a person has to choose."""
        wrong = [finding.row_id for finding in findings]
        entries = ScratchpadEntry.objects.for_relationship(owner_of(findings)).filter(id__in=wrong)
        for row_id, content in entries.values_list("id", "content"):
            told = {"owner": owner_of(findings), "row": row_id, "hash": content_hash(content)}
            execute(_PUT_RIGHT, told)
