"""A model that remembers each message in its own words, and what must be true of the memory afterwards.

The promises are the same under every recipe: an accepted turn is applied once or visibly failed, nothing is duplicated,
and what a person wrote stays. What differs is what a model is shown: all entries by `scratchpad`, by the others those
that may be related. So if a drill is about entries, its messages share a word with them.
"""

import os
from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeVar

import pytest

from memory.models import EntryRevision, ScratchpadEntry
from relationships.models import Relationship, Turn, TurnState
from tests.acceptance.drills.answers import add_each
from tests.acceptance.drills.questions import question_in

T = TypeVar("T")
LONG = os.environ.get("RAPPORT_DRILLS") == "long"


def scaled(short: T, long: T) -> T:
    return long if LONG else short


only_long = pytest.mark.skipif(not LONG, reason="a long drill (make drills)")


def note_down(body: dict[str, Any]) -> dict[str, Any]:
    """One new entry a message, resting on it, whatever the strategy asks."""
    return {"json": add_each(question_in(body))}


def require_each_applied_once_in_order(relationship: Relationship) -> None:
    """Every turn of the relationship was applied, exactly once, in order, and left one entry."""
    turns = list(Turn.objects.for_relationship(relationship.id).order_by("seq"))
    assert [turn.state for turn in turns] == [TurnState.APPLIED] * len(turns)
    require_once_in_order(relationship, turns)


def require_once_in_order(relationship: Relationship, turns: Sequence[Turn]) -> None:
    # Without moves to the archive, which belong to no turn.
    revised = EntryRevision.objects.for_relationship(relationship.id).exclude(turn_id=None)
    revisions = list(revised.order_by("seq"))
    assert [revision.turn_id for revision in revisions] == [turn.id for turn in turns]
    assert {revision.event for revision in revisions} <= {"add"}
    entries = ScratchpadEntry.objects.for_relationship(relationship.id).active()
    contents = Counter(entries.values_list("content", flat=True))
    assert len(contents) == len(turns)
    assert set(contents.values()) <= {1}
