"""The scratchpad's section of the snapshot: what a context shows of each active entry, and how long.

A line is as short as JSON allows, as it is read before every reply: `[id, type, content, more, told]`. `more` is null,
or has what is not usual: `subject` (if it isn't the user), `key`, `pinned`, `happens_at` (as it was said), and `from`
and `until` (seconds since 1970), between which the entry is shown. `told` is when it was told, in seconds since 1970.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from memory.models import ScratchpadEntry
from memory.models.entry import USER_SUBJECT
from relationships.services.snapshots import write_scratchpad

Line = list[Any]


class LineRow(NamedTuple):
    """What a line is made from; the names are the entry's own columns."""

    id: UUID
    type: str
    content: str
    subject: str
    key: str | None
    pinned: bool
    effective_at: datetime
    happens_at: str | None


# The lines of the active entries, newest first; and when the first of them appears or ends. What has ended is left out,
# what has yet to begin is there, with its `from`.
_MADE = """
SELECT coalesce(jsonb_agg(jsonb_build_array(id, type, content, more, told) ORDER BY effective_at DESC, id DESC), '[]')
           AS scratchpad,
       min(least(begins, ends)) AS fresh_until,
       (SELECT max(effective_at) FROM memory_scratchpadentry
         WHERE relationship_id = %(relationship)s AND state = 'active' AND tier = 'archive') IS NOT NULL AS has_archive
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


def line_of(entry: LineRow | ScratchpadEntry) -> Line:
    """What a context shows of a single entry, without the times."""
    unusual = {
        "subject": "" if entry.subject == USER_SUBJECT else entry.subject,
        "key": entry.key,
        "pinned": entry.pinned,
        "happens_at": entry.happens_at,
    }
    more = {name: value for name, value in unusual.items() if value}
    return [str(entry.id), entry.type, entry.content, more or None, int(entry.effective_at.timestamp())]


def lines_at(lines: Sequence[Line], *, fresh_until: datetime | None, now: datetime) -> Sequence[Line]:
    """The lines to show at `now`; without `fresh_until`, all of them."""
    if fresh_until is None:
        return lines
    moment = now.timestamp()
    return [line for line in lines if line[3] is None or _holds(line[3], moment)]


def _holds(more: dict[str, Any], moment: float) -> bool:
    begins, ends = more.get("from"), more.get("until")
    return (begins is None or begins <= moment) and (ends is None or moment < ends)
