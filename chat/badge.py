"""The badge "memory updated": what a turn changed in memory, if that is known soon after the reply.

Where that is possible, the person's message is accepted before the reply begins, so that it is read at the same time.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from chat.replies import Question
from memory.ingestion.intake import accept_turn
from memory.models import EntryRevision, RevisionEvent
from relationships.models import Message, Turn, TurnState
from relationships.services.turns import NewTurn
from worker.waiting import waiting_place

SETTLED = frozenset({TurnState.APPLIED, TurnState.SKIPPED, TurnState.FAILED})
AT_ONCE = frozenset({"classifier"})  # strategies that need only the person's message
# OpenAI's clients time out after ten minutes, and try three times.
RETRIED_WITHIN = timedelta(minutes=30)


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


def take_early(question: Question) -> Turn | None:
    """Accept the message as a turn if the badge is wanted and reading needs no reply; otherwise return None.

    A client that retries, because it got no reply, gets the turn of its first try.
    """
    ingestion = question.configuration.ingestion
    if (
        question.wait is None
        or not question.remembered
        or ingestion.strategy not in AT_ONCE
        or not question.new
    ):
        return None
    new = NewTurn(list(question.new), occurred_at=question.now, session=question.session)
    return _unanswered(question) or accept_turn(relationship=question.relationship, new=new).turn


def _unanswered(question: Question) -> Turn | None:
    """The session's last turn, if it consists of exactly these messages."""
    relationship_id, count = question.relationship.id, len(question.new)
    messages = Message.objects.for_relationship(relationship_id).filter(session=question.session)
    last = list(messages.order_by("-seq")[: count + 1])
    of_turn = [message for message in last if message.turn_id == last[0].turn_id]
    if [(m.role, m.content) for m in reversed(of_turn)] != [(m.role, m.content) for m in question.new]:
        return None
    turns = Turn.objects.for_relationship(relationship_id).filter(id=of_turn[0].turn_id)
    return turns.filter(recorded_at__gte=question.now - RETRIED_WITHIN).first()
