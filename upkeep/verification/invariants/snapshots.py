"""The snapshot must match what would be built from the rows now."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson

from memory.entries.snapshots import Line, LineRow, line_of, rebuild_scratchpad
from relationships.models import Relationship
from relationships.services.profiles import read_profile
from relationships.services.sessions import rebuild_sessions
from relationships.services.snapshots import write_section
from summaries.snapshot import rebuild_summary
from upkeep.verification.invariant import Finding, Invariant, Page, Problem, rows
from workspace.hot_context import rebuild_hot_context

DIFFERS = Problem(
    "differs", "a section of a snapshot is not what its rows say, so contexts show something else"
)

# One statement, so that all of it is consistent. A relationship that never had anything to show has no snapshot.
_ROWS = """
SELECT w.id,
       coalesce(s.profile, '{}') <> coalesce(
           (SELECT data FROM relationships_profile WHERE relationship_id = w.id), '{}'),
       coalesce(s.sessions, '{}') <> coalesce(
           (SELECT jsonb_object_agg(session, state) FROM relationships_sessionstate
             WHERE relationship_id = w.id AND ended_at IS NULL AND state <> '{}'), '{}'),
       CASE WHEN s.id IS NULL THEN false ELSE s.has_archive END <> EXISTS (
           SELECT 1 FROM memory_scratchpadentry
            WHERE relationship_id = w.id AND state = 'active' AND tier = 'archive'),
       s.hot_context IS DISTINCT FROM (
           SELECT jsonb_build_object('content', content, 'version', version) FROM workspace_hotcontextversion
            WHERE relationship_id = w.id ORDER BY version DESC LIMIT 1),
       s.scratchpad::text, s.fresh_until,
       coalesce(s.summary, '{}') - 'since' - 'until' <> coalesce((
           SELECT jsonb_build_object('id', n.id, 'text', n.text, 'messages', n.messages) FROM (
               SELECT id, text, messages FROM summaries_summary WHERE relationship_id = w.id AND state = 'ready'
                ORDER BY messages DESC, version DESC LIMIT 1) n
            WHERE n.text <> '' AND NOT EXISTS (
               SELECT 1 FROM summaries_summary
                WHERE relationship_id = w.id AND state IN ('pending', 'working') AND version > 1)), '{}'),
       (SELECT json_agg(json_build_array(id, type, content, subject, key, pinned, effective_at, happens_at, valid_from,
                                         valid_to, expires_at) ORDER BY effective_at DESC, id DESC)
          FROM memory_scratchpadentry
         WHERE relationship_id = w.id AND state = 'active' AND tier = 'scratchpad')::text
  FROM (SELECT id FROM relationships_relationship WHERE id = ANY(%(ids)s)) w
  LEFT JOIN relationships_snapshot s ON s.relationship_id = w.id
"""


class SnapshotsInvariant(Invariant):
    """Checked last, as earlier repairs may have changed what a snapshot should contain."""

    slug = "snapshots"
    promise = (
        "A snapshot is what would be built from the rows: profile, open sessions, scratchpad, hot context, "
        "summary."
    )
    problems = (DIFFERS,)

    def check(self, page: Page, *, now: datetime) -> Iterator[Finding]:
        for owner_id, profile, sessions, archive, hot, lines, fresh_until, summary, entries in rows(
            _ROWS, page
        ):
            built, until = _section(entries, now)
            wrong = {
                "profile": profile,
                "sessions": sessions,
                "hot_context": hot,
                "has_archive": archive,  # null: not written down yet
                "scratchpad": _shown(orjson.loads(lines or "[]"), now) != _shown(built, now),
                # after it has passed it says nothing, as readers check each line
                "fresh_until": fresh_until != until and (fresh_until is None or fresh_until > now),
                "summary": summary,
            }
            if any(wrong.values()):
                yield Finding(
                    DIFFERS, owner_id, detail=" ".join(name for name, is_so in wrong.items() if is_so)
                )

    def repair(self, owner_id: Any, findings: Sequence[Finding], *, now: datetime) -> None:
        for relationship in Relationship.objects.filter(id=owner_id):
            own: dict[str, Any] = {"relationship_id": relationship.id, "project_id": relationship.project_id}
            write_section(**own, section="profile", value=read_profile(relationship.id)[0])
            rebuild_sessions(relationship)
            rebuild_hot_context(**own)
            rebuild_scratchpad(**own, now=now)
            rebuild_summary(**own)


def _section(entries: str | None, now: datetime) -> tuple[list[Line], datetime | None]:
    """The lines of these entries, and when the first of them appears or ends (None: never). Their times are computed in
    another way than in the database.
    """
    lines: list[Line] = []
    changes: list[datetime] = []
    for row_id, *said, told_at, happens_at, valid_from, valid_to, expires_at in orjson.loads(entries or "[]"):
        begins = datetime.fromisoformat(valid_from) if valid_from else now
        ends = min((datetime.fromisoformat(time) for time in (valid_to, expires_at) if time), default=None)
        if ends and ends <= now:
            continue
        times = {"from": begins} if begins > now else {}
        times |= {"until": ends} if ends else {}
        changes += times.values()
        *named, more, told = line_of(
            LineRow._make([UUID(row_id), *said, datetime.fromisoformat(told_at), happens_at])
        )
        limits = {name: time.timestamp() for name, time in times.items()}
        lines.append([*named, {**(more or {}), **limits} or None, told])
    return lines, min(changes, default=None)


def _shown(lines: Sequence[Line], now: datetime) -> list[Line]:
    """What the lines show now, whenever they were written: no expired ones, and no start times that have passed."""
    moment = now.timestamp()
    shown = []
    for *said, more, told in lines:
        kept = {name: value for name, value in (more or {}).items() if name != "from" or value > moment}
        if kept.get("until", moment + 1) > moment:
            shown.append([*said, kept or None, told])
    return shown
