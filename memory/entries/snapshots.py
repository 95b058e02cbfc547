"""The scratchpad's section of the snapshot: what a context shows of each active entry, and how long.

A line is as short as JSON allows, as it is read before every reply: `[id, type, content, more, told]`. `more` is null,
or has what is not usual: `subject` (if it isn't the user), `key`, `pinned`, `happens_at` (as it was said), and `from`
and `until` (seconds since 1970), between which the entry is shown. `told` is when it was told, in seconds since 1970.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from memory.models import ScratchpadEntry
from memory.models.entry import USER_SUBJECT
from relationships.services.snapshots import write_scratchpad

Line = list[Any]


class SectionRow(NamedTuple):
    """What a line is made from; the names are the entry's own columns."""

    id: UUID
    type: str
    content: str
    subject: str
    key: str | None
    pinned: bool
    effective_at: datetime
    happens_at: str | None
    valid_from: datetime | None
    valid_to: datetime | None
    expires_at: datetime | None


# The result of `scratchpad_section` for the active entries, computed in the database.
_MADE = """
SELECT coalesce(jsonb_agg(jsonb_build_array(id, type, content, more, told) ORDER BY effective_at DESC, id DESC), '[]')
           AS scratchpad,
       min(least(begins, ends)) AS fresh_until,
       EXISTS (SELECT 1 FROM memory_scratchpadentry
                WHERE relationship_id = %(relationship)s AND state = 'active' AND tier = 'archive') AS has_archive
  FROM (SELECT id, type, content, effective_at, begins, ends,
               trunc(extract(epoch FROM effective_at))::bigint AS told,
               CASE WHEN subject <> %(user)s OR key <> '' OR pinned OR happens_at <> ''
                         OR coalesce(begins, ends) IS NOT NULL
                    THEN jsonb_strip_nulls(jsonb_build_object(
                        'subject', nullif(subject, %(user)s), 'key', nullif(key, ''), 'pinned', nullif(pinned, false),
                        'happens_at', nullif(happens_at, ''), 'from', extract(epoch FROM begins)::float8,
                        'until', extract(epoch FROM ends)::float8)) END AS more
          FROM memory_scratchpadentry,
               LATERAL (SELECT CASE WHEN valid_from > %(now)s THEN valid_from END AS begins,
                               least(valid_to, expires_at) AS ends) times
         WHERE relationship_id = %(relationship)s AND state = 'active' AND tier = 'scratchpad'
           AND (ends > %(now)s) IS NOT FALSE) line
"""


def rebuild_scratchpad(*, relationship_id: UUID, project_id: UUID, now: datetime) -> None:
    """Rewrite the section from the active entries, in the transaction of their change and under its lock."""
    params = {"user": USER_SUBJECT, "now": now}
    write_scratchpad(_MADE, params, relationship_id=relationship_id, project_id=project_id)


def scratchpad_section(
    entries: Iterable[SectionRow | ScratchpadEntry], *, now: datetime
) -> tuple[list[Line], datetime | None]:
    """The lines of these entries, in their order, and when the first of them appears or ends (None: never).

    What has ended by `now` is left out; what has yet to begin is included, with its `from`.
    """
    lines: list[Line] = []
    changes: list[datetime] = []
    for entry in entries:
        begins = entry.valid_from if entry.valid_from and entry.valid_from > now else None
        ends = min((time for time in (entry.valid_to, entry.expires_at) if time), default=None)
        if ends and ends <= now:
            continue
        changes += [time for time in (begins, ends) if time]
        lines.append(line_of(entry, begins=begins, ends=ends))
    return lines, min(changes, default=None)


def line_of(
    entry: SectionRow | ScratchpadEntry, *, begins: datetime | None = None, ends: datetime | None = None
) -> Line:
    """What a context shows of an entry."""
    told = int(entry.effective_at.timestamp())
    return [str(entry.id), entry.type, entry.content, _more(entry, begins, ends), told]


def lines_at(lines: Sequence[Line], *, fresh_until: datetime | None, now: datetime) -> Sequence[Line]:
    """The lines to show at `now`; without `fresh_until`, all of them."""
    if fresh_until is None:
        return lines
    moment = now.timestamp()
    return [line for line in lines if line[3] is None or _holds(line[3], moment)]


def _holds(more: dict[str, Any], moment: float) -> bool:
    begins, ends = more.get("from"), more.get("until")
    return (begins is None or begins <= moment) and (ends is None or moment < ends)


def _more(
    entry: SectionRow | ScratchpadEntry, begins: datetime | None, ends: datetime | None
) -> dict[str, Any] | None:
    more: dict[str, Any] = {}
    if entry.subject != USER_SUBJECT:
        more["subject"] = entry.subject
    if entry.key:
        more["key"] = entry.key
    if entry.pinned:
        more["pinned"] = True
    if entry.happens_at:
        more["happens_at"] = entry.happens_at
    if begins:
        more["from"] = begins.timestamp()
    if ends:
        more["until"] = ends.timestamp()
    return more or None
