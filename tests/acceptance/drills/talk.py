"""A model that remembers each message in its own words, and what must hold of the memory afterwards."""

import os
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from memory.models import EntryRevision, ScratchpadEntry
from relationships.models import Relationship, Turn, TurnState

LONG = os.environ.get("RAPPORT_DRILLS") == "long"
_MESSAGE = re.compile(r"^\[(\d+)\] .*? \(user\): (.*)$", re.MULTILINE)


def scaled(short: int, long: int) -> int:
    return long if LONG else short


def new_messages(body: dict[str, Any]) -> list[tuple[int, str]]:
    """The numbers and texts of the new messages in a question, read as a model would read them."""
    prompt = body["messages"][-1]["content"]
    _, _, new = prompt.rpartition("New messages")
    return [(int(number), text) for number, text in _MESSAGE.findall(new)]


def note_down(body: dict[str, Any]) -> dict[str, Any]:
    """One new entry a message, resting on it."""
    operations = [
        {"op": "add", "type": "other", "content": f"Said: {text}", "messages": [number]}
        for number, text in new_messages(body)
    ]
    return {"json": {"operations": operations}}


def require_each_applied_once_in_order(relationship: Relationship) -> None:
    """Every turn of the relationship was applied, exactly once, in order, and left one entry."""
    turns = list(Turn.objects.for_relationship(relationship.id).order_by("seq"))
    assert [turn.state for turn in turns] == [TurnState.APPLIED] * len(turns)
    require_once_in_order(relationship, turns)


def require_once_in_order(relationship: Relationship, turns: Sequence[Turn]) -> None:
    revisions = list(EntryRevision.objects.for_relationship(relationship.id).order_by("seq"))
    assert [revision.turn_id for revision in revisions] == [turn.id for turn in turns]
    assert {revision.event for revision in revisions} <= {"add"}
    entries = ScratchpadEntry.objects.for_relationship(relationship.id).active()
    contents = Counter(entries.values_list("content", flat=True))
    assert len(contents) == len(turns)
    assert set(contents.values()) <= {1}
