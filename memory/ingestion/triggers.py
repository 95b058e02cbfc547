"""Decide whether a turn is read at all, and when."""

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from django.db import transaction

from config.postgresql.sessions import execute
from memory.ingestion.configuration import Ingestion, Trigger
from memory.names import is_called
from memory.words import WORD, fold
from relationships.models import Relationship, Turn, TurnState
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
_OF_ONE = " AND t.relationship_id = %(relationship)s AND s.relationship_id = %(relationship)s"


def dispose_turn(
    ingestion: Ingestion,
    messages: Sequence[NewMessage],
    *,
    paused: bool,
    now: datetime,
    names: Sequence[str] = (),
) -> TurnDisposal:
    """Decide the state of a new turn: pending, or skipped with a reason. `names`: of the person and the companion."""
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
    """After `turn` was stored, return whether anything is due. With every_n_turns the n-th makes all of them due."""
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


def read_after_session(relationship: Relationship, now: datetime) -> None:
    """When sessions end, make due what waited for it. A listener, called in that transaction."""
    _read_ended(_OF_ONE, {"now": now, "relationship": relationship.id})


@transaction.atomic
def read_ended_sessions(now: datetime) -> int:
    """Do the same in all relationships; return in how many.

    A periodic task. An ended session can be seen from its row, so none is missed.
    """
    condition, reachable = among(Turn, "t.relationship_id", "s.relationship_id")
    return _read_ended(condition, {"now": now, **reachable})


def _read_ended(condition: str, values: Mapping[str, Any]) -> int:
    ended = dict(execute(ENDED_SESSIONS.format(among=condition), values))
    for relationship_id, project_id in ended.items():
        enqueue(relationship_id, project_id=project_id)
    return len(ended)


def _skipped(code: str, sentence: str) -> TurnDisposal:
    return TurnDisposal(TurnState.SKIPPED, None, error_code=code, error=sentence)


LONGEST = 200  # characters of a message of small talk
_WORDS = re.compile(rf"{WORD}(?:['’]{WORD})*")
# Emoji that agree or decline, and so may be an answer.
_CONFIRMS = re.compile("[👍👎👌✅✔☑❌✖🤝💯🆗🙆🙅]")

_TOLD = tomllib.loads(Path(__file__).with_name("small_talk.toml").read_text())
_KNOWN = frozenset(
    tuple(_WORDS.findall(fold(phrase)))
    for line in _TOLD["phrases"].splitlines()
    for phrase in line.split("|")
)
_MOST_WORDS = max(map(len, _KNOWN))


def is_small_talk(texts: Collection[str], *, names: Iterable[str] = ()) -> bool:
    """Return whether these messages contain nothing but small talk, and `names` of the two who talk.

    The list is narrower than that of memory.retrieval.idle_messages: "yes" finds nothing, but may answer a question.
    """
    called = {word for name in names for word in _words(name)}
    return bool(texts) and all(_is_small(text, called) for text in texts)


def _is_small(text: str, called: Collection[str]) -> bool:
    if len(text) > LONGEST or _CONFIRMS.search(text):
        return False
    words = [word for word in _words(text) if not is_called(word, called)]
    place = 0
    while place < len(words):
        lengths = range(min(_MOST_WORDS, len(words) - place), 0, -1)
        step = next((length for length in lengths if tuple(words[place : place + length]) in _KNOWN), 0)
        if not step:
            return False
        place += step
    return bool(words)


def _words(text: str) -> list[str]:
    return [word.replace("’", "'") for word in _WORDS.findall(fold(text))]
