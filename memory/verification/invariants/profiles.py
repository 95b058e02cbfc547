from collections.abc import Iterator, Sequence
from datetime import datetime

from memory.verification.base import Finding, Invariant, Page, Problem, owner_of
from memory.verification.statements import execute, rows

DIFFERS = Problem(
    "differs",
    "a profile is not what its last version says",
    "Read both (GET .../profile; the versions are in the export) and PUT the right one.",
)
ENDED_WITH_STATE = Problem("ended_with_state", "a session has ended and still holds its temporary state")

_PROFILES = """
SELECT coalesce(p.relationship_id, last.relationship_id), p.version, last.version
  FROM unnest(%(ids)s::uuid[]) w (id)
  LEFT JOIN relationships_profile p ON p.relationship_id = w.id
  LEFT JOIN LATERAL (SELECT * FROM relationships_profilerevision WHERE relationship_id = w.id
                      ORDER BY version DESC LIMIT 1) last ON true
 WHERE (p.version, p.data) IS DISTINCT FROM (last.version, last.data)
"""
_SESSIONS = """
SELECT relationship_id, id FROM relationships_sessionstate
 WHERE relationship_id = ANY(%(ids)s) AND ended_at IS NOT NULL AND state <> '{}'
"""
_CLEAR = """
UPDATE relationships_sessionstate SET state = '{}'
 WHERE relationship_id = %(owner)s AND ended_at IS NOT NULL AND id = ANY(%(rows)s)
"""


class ProfilesInvariant(Invariant):
    slug = "profiles"
    promise = "A profile is its last version; a session that has ended holds nothing."

    def look(self, page: Page, *, now: datetime) -> Iterator[Finding]:
        for owner_id, version, last in rows(_PROFILES, page):
            yield Finding(DIFFERS, owner_id, detail=f"version {version or 'none'}, last {last or 'none'}")
        for owner_id, row_id in rows(_SESSIONS, page):
            yield Finding(ENDED_WITH_STATE, owner_id, row_id)

    def mend(self, findings: Sequence[Finding], *, now: datetime) -> None:
        execute(_CLEAR, {"owner": owner_of(findings), "rows": [finding.row_id for finding in findings]})
