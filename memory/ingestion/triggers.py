"""Whether a turn is read at all, and when."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db import connection, transaction

from memory.ingestion.configuration import Ingestion, Trigger
from memory.ingestion.small_talk import is_small_talk
from relationships.models import Turn, TurnState
from relationships.services.turns import NewMessage, TurnDisposal
from worker.enqueue import enqueue
from worker.lost_nodes import among

ENDED_SESSIONS = """
UPDATE relationships_turn t SET due_at = %(now)s, waits_for = ''
  FROM relationships_sessionstate s
 WHERE t.state = 'pending' AND t.due_at IS NULL AND t.waits_for IN ('session_end', 'every_n_turns')
   AND s.relationship_id = t.relationship_id AND s.session = t.session AND s.ended_at IS NOT NULL{among}
RETURNING t.relationship_id, t.project_id
"""


def dispose_turn(
    ingestion: Ingestion,
    messages: Sequence[NewMessage],
    *,
    paused: bool,
    now: datetime,
    names: Sequence[str] = (),
) -> TurnDisposal:
    """What becomes of a turn at its intake. What is left out is `skipped`, with the reason. `names` of the two."""
    if paused:
        return _skipped("paused", "Remembering is paused for this person.")
    if not ingestion.enabled:
        return _skipped("disabled", "The configuration has ingestion.enabled off.")
    texts = [message.content for message in messages if message.role in ingestion.roles]
    if not texts:
        read = ", ".join(ingestion.roles) or "none"
        return _skipped("roles", f"No message is of a role that is read (ingestion.roles: {read}).")
    if ingestion.skip_small_talk and is_small_talk(texts, names=names):
        return _skipped(
            "small_talk", "It holds only greetings, good-byes or thanks (ingestion.skip_small_talk)."
        )
    if ingestion.trigger.mode == "every_turn":
        return TurnDisposal(TurnState.PENDING, now)
    return TurnDisposal(TurnState.PENDING, None, waits_for=ingestion.trigger.mode)


def fire_trigger(trigger: Trigger, *, relationship_id: UUID, turn: Turn, now: datetime) -> bool:
    """After the turn is stored: is something due? With every_n_turns the n-th makes all that wait due, `turn` too."""
    if trigger.mode == "every_turn":
        return True
    if trigger.mode != "every_n_turns":
        return False
    waiting = Turn.objects.for_relationship(relationship_id).filter(
        state=TurnState.PENDING, due_at=None, waits_for=trigger.mode
    )
    if waiting.count() < trigger.n:
        return False
    waiting.update(due_at=now, waits_for="")
    turn.due_at, turn.waits_for = now, ""
    return True


def read_ended_sessions(now: datetime) -> int:
    """Make due what waited for a session that has ended, by call or idle timeout. How many relationships' it was.

    The housekeeping calls this: an ended session is a row to be found, so no ending can be missed.
    """
    condition, reachable = among(Turn, "t.relationship_id", "s.relationship_id")
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(ENDED_SESSIONS.format(among=condition), {"now": now, **reachable})
        ended = dict(cursor.fetchall())
        for relationship_id, project_id in ended.items():
            enqueue(relationship_id, project_id=project_id)
    return len(ended)


def _skipped(code: str, sentence: str) -> TurnDisposal:
    return TurnDisposal(TurnState.SKIPPED, None, error_code=code, error=sentence)
