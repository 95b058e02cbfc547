"""What a merge could not decide, as the page of a workspace shows it: both sides beside each other."""

from typing import Any

from django.db.models import Subquery

from admin_ui.line_diff import side_by_side
from admin_ui.params import pretty
from relationships.models import Profile, Relationship
from relationships.text_matching import MOST_AT_ONCE, Effort
from workspace.models import HeldChange
from workspace.sessions.decide import held_changes_of
from workspace.store import Head, read_blobs
from workspace.trees import text_of

SHOWN = 50


def held_changes(relationship: Relationship, head: Head | None) -> list[dict[str, Any]]:
    """The newest that are open; of each what stands on main now beside what the session would have, None where a side
    has no such file. `head`: of main. Two statements.
    """
    profile = Profile.objects.for_relationship(relationship.id).values("data")[:1]
    open_ones = (
        held_changes_of(relationship.id).filter(state=HeldChange.OPEN).annotate(profile=Subquery(profile))
    )
    rows = list(open_ones.order_by("-created_at")[:SHOWN])
    files = head.files if head else {}
    sides = {path: files[path] for row in rows for path in (row.path, row.kept_as) if path in files}
    contents = read_blobs(relationship.id, sides.values()) if sides else {}

    def text(path: str) -> str | None:
        return text_of(contents[sides[path].sha256]) if path in sides else None

    shown, effort = [], Effort(MOST_AT_ONCE)
    for row in rows:
        now: str | None
        then: str | None
        if row.kind == HeldChange.PROFILE:
            now, then = pretty(row.profile or {}), pretty(row.proposal)
        elif row.kept_as:
            now, then = text(row.path), text(row.kept_as)
        else:
            now, then = (text(row.path), None) if row.session_deleted else (None, text(row.path))
        blocks = side_by_side(now or "", then or "", effort)
        shown.append({"row": row, "now": now, "then": then, "blocks": blocks})
    return shown
