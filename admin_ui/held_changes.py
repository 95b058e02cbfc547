"""Changes that a merge could not decide, for the workspace's page: both sides next to each other."""

from dataclasses import dataclass
from typing import Any, Literal

from django.db.models import Subquery

from admin_ui.params import pretty_json
from relationships.models import Profile, Relationship
from relationships.text_matching import CONTEXT, MOST_AT_ONCE, Effort, Matcher, lines_of
from workspace.models import HeldChange
from workspace.store import Head, read_blobs
from workspace.trees import text_of

SHOWN = 50


def held_changes(relationship: Relationship, head: Head | None) -> list[dict[str, Any]]:
    """Return the newest open ones: `row`, `sides` (the texts on main and of the session, None if the side has no such
    file) and `blocks` (the texts as lines next to each other). `head`: of main. Two statements.
    """
    profile = Profile.objects.for_relationship(relationship.id).values("data")[:1]
    open_ones = HeldChange.objects.for_relationship(relationship.id).filter(state=HeldChange.OPEN)
    rows = list(open_ones.annotate(profile=Subquery(profile)).order_by("-created_at")[:SHOWN])
    on_main = head.files if head else {}
    files = {path: on_main[path] for row in rows for path in (row.path, row.kept_as) if path in on_main}
    contents = read_blobs(relationship.id, files.values()) if files else {}

    def text(path: str) -> str | None:
        return text_of(contents[files[path].sha256]) if path in files else None

    shown, effort = [], Effort(MOST_AT_ONCE)
    for row in rows:
        sides: tuple[str | None, str | None] = (text(row.path), None)
        if row.kind == HeldChange.PROFILE:
            sides = pretty_json(row.profile or {}), pretty_json(row.proposal)
        elif row.kept_as:
            sides = text(row.path), text(row.kept_as)
        elif not row.session_deleted:
            sides = None, text(row.path)
        blocks = _side_by_side(sides[0] or "", sides[1] or "", effort)
        shown.append({"row": row, "sides": sides, "blocks": blocks})
    return shown


@dataclass(frozen=True, slots=True)
class Block:
    """Lines next to each other. The kind `left_out` stands for equal lines that are not shown."""

    kind: Literal["same", "changed", "left_out"]
    before: str = ""
    after: str = ""


def _side_by_side(before: str, after: str, effort: Effort) -> list[Block]:
    """Return the differences between two texts with a few equal lines around each."""
    old, new = lines_of(before), lines_of(after)
    blocks: list[Block] = []
    shown = 0
    for group in Matcher(None, old, new, effort=effort).get_grouped_opcodes(CONTEXT):
        if group[0][1] > shown:
            blocks.append(Block("left_out"))
        for tag, i1, i2, j1, j2 in group:
            blocks.append(
                Block("same" if tag == "equal" else "changed", "".join(old[i1:i2]), "".join(new[j1:j2]))
            )
        shown = group[-1][2]
    return blocks + ([Block("left_out")] if blocks and shown < len(old) else [])
