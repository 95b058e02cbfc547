"""What a merge could not decide, as the page of a workspace shows it: both sides beside each other."""

from collections.abc import Sequence
from typing import Any

from admin_ui.line_diff import side_by_side
from admin_ui.params import pretty
from relationships.models import Relationship
from relationships.services.profiles import read_profile
from relationships.text_matching import MOST_AT_ONCE, Effort
from workspace.models import MAIN, HeldChange
from workspace.sessions.decide import deleted_by_session
from workspace.store import Head, read_blobs, read_head
from workspace.trees import text_of


def held_changes(
    relationship: Relationship, rows: Sequence[HeldChange], head: Head | None
) -> list[dict[str, Any]]:
    """Of each what stands on main now beside what the session would have; None where a side has no such file."""
    if not rows:
        return []
    head = head or read_head(relationship.id, MAIN)
    files = head.files if head else {}
    sides = {path: files[path] for row in rows for path in (row.path, row.kept_as) if path in files}
    contents = read_blobs(relationship.id, sides.values())
    deletions = [row for row in rows if row.kind == HeldChange.CONFLICT and not row.kept_as]
    deleted = deleted_by_session(relationship.id, deletions) if deletions else set()
    profile = read_profile(relationship.id)[0] if any(row.proposal for row in rows) else {}

    def text(path: str) -> str | None:
        return text_of(contents[sides[path].sha256]) if path in sides else None

    shown, effort = [], Effort(MOST_AT_ONCE)
    for row in rows:
        now: str | None
        then: str | None
        if row.kind == HeldChange.PROFILE:
            now, then = pretty(profile), pretty(row.proposal)
        elif row.kept_as:
            now, then = text(row.path), text(row.kept_as)
        else:
            now, then = (text(row.path), None) if row.id in deleted else (None, text(row.path))
        shown.append(
            {"row": row, "now": now, "then": then, "blocks": side_by_side(now or "", then or "", effort)}
        )
    return shown
