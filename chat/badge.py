"""The badge "memory updated": what a turn changed in memory, if that is known soon after the reply."""

from collections.abc import Callable
from typing import Any

from memory.models import EntryRevision, RevisionEvent
from relationships.models import Turn, TurnState
from worker.waiting import waiting_place

SETTLED = frozenset({TurnState.APPLIED, TurnState.SKIPPED, TurnState.FAILED})


def wait_for(turn: Turn, seconds: float, in_database: Callable[[Callable[[], Any]], Any]) -> dict[str, Any]:
    """Wait until the turn is settled. `memory_updated` is null if that takes longer; the reading goes on regardless."""

    def settled() -> bool:
        rows = Turn.objects.for_relationship(turn.relationship_id).filter(id=turn.id)
        return rows.filter(state__in=SETTLED).exists()

    with waiting_place(turn.id) as place:
        known = in_database(settled)
        if not known and place is not None:
            place.wait(seconds)
            known = in_database(settled)
    if not known:
        return {"memory_updated": None, "remembered": []}
    remembered = in_database(lambda: _remembered(turn))
    return {"memory_updated": bool(remembered), "remembered": remembered}


def _remembered(turn: Turn) -> list[dict[str, Any]]:
    revisions = EntryRevision.objects.for_relationship(turn.relationship_id).filter(turn_id=turn.id)
    return [
        {
            "event": revision.event,
            "entry_id": revision.entry_id,
            "content": (revision.after or revision.before or {}).get("content", ""),
        }
        for revision in revisions.exclude(event=RevisionEvent.NONE).order_by("seq")
    ]
