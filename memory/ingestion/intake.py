"""Accept a turn: store it, decide by the configuration whether it is read, and enqueue it, in one transaction."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson
from django.db import transaction
from django.utils import timezone

from config import tracing
from config.postgresql.sessions import prepared_cursor
from memory.entries.limits import refuse_future
from memory.errors import TurnNotRetryable
from memory.ingestion.configuration import Ingestion
from memory.ingestion.triggers import dispose_turn, fire_trigger
from memory.models import ScratchpadEntry, SearchedKind
from memory.retrieval.index.backfill import complete_index
from memory.retrieval.index.configs import lock_config, retrieval_of
from memory.retrieval.index.language import SPOKEN, keep_language, looks_again
from memory.retrieval.index.write import NewMessages, index_again
from relationships.configuration.cascade import resolve_configuration
from relationships.configuration.schema import Configuration
from relationships.models import Message, MessageRole, Relationship, Turn, TurnState
from relationships.services.idempotency import Idempotency, earlier_resource
from relationships.services.rows import require, require_lock
from relationships.services.turns import NewMessage, NewTurn, store_turn, turn_faults
from web.authentication import KEY_STILL_HOLDS, KeyChanged, RememberedKey
from web.errors import InvalidInput, NotFound
from worker.enqueue import enqueue
from worker.fairness import project_of

LONGEST_NAME = 180  # of a companion, in the speaker's name of a report, to which more is added
RESTEMMED = 200  # rows of the index that are rewritten at once if another language was detected

# One statement takes the numbers, locks the row and returns everything that decides about the turn.
TAKE_NUMBERS = """
UPDATE relationships_relationship r
   SET last_seq = r.last_seq + %(count)s, message_count = r.message_count + %(count)s - 1,
       last_turn_at = greatest(r.last_turn_at, %(spoken_at)s)
  FROM relationships_companion c, relationships_project p, relationships_enduser u
 WHERE r.id = %(relationship)s AND r.project_id = %(project)s
   AND c.id = r.companion_id AND p.id = r.project_id AND u.id = r.user_id
RETURNING r.last_seq, r.message_count, p.config::text, c.config::text, r.config::text, u.ingestion_paused, c.name,
          u.display_name, r.language, {key_holds}
"""
_TAKE_NUMBERS = TAKE_NUMBERS.format(key_holds="true")
_TAKE_NUMBERS_BY_KEY = TAKE_NUMBERS.format(key_holds=KEY_STILL_HOLDS)


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A turn that was just stored, in its transaction and under the relationship's row lock.

    `message_count`: the number of messages ever said in the relationship, including these.
    """

    turn: Turn
    messages: Sequence[Message]
    message_count: int
    configuration: Configuration
    paused: bool
    now: datetime


# Called with each turn that is stored. Apps append their listeners in `ready()`.
turn_listeners: list[Callable[[StoredTurn], None]] = []


@dataclass(frozen=True, slots=True)
class _Taken:
    first_seq: int
    message_count: int
    levels: Sequence[Mapping[str, Any]]
    paused: bool
    names: tuple[str, str]
    language: str
    said_before: int  # messages


@dataclass(frozen=True, slots=True)
class AcceptedTurn:
    turn: Turn
    created: bool  # False: an equal call was made before, and created this


@transaction.atomic
def accept_turn(
    *,
    relationship: Relationship,
    new: NewTurn,
    idempotency: Idempotency | None = None,
    key: RememberedKey | None = None,
) -> AcceptedTurn:
    """Store a turn and enqueue it. `key`, if the request was let in by a cached key, is checked too.

    Only the IDs of `relationship` and of its project are used. Raises NotFound, InvalidInput,
    IdempotencyMismatch, KeyChanged.
    """
    now = timezone.now()
    if problems := turn_faults(new):
        raise InvalidInput(f"{problems[0].field}: {problems[0].detail}", problems=problems[:20])
    refuse_future(_times(new), now=now)
    taken = _take_numbers(relationship, new, key)
    earlier = earlier_turn(relationship.id, idempotency)
    if earlier is not None:
        transaction.set_rollback(True)  # the numbers were not needed after all
        return AcceptedTurn(earlier, created=False)
    configuration = resolve_configuration(*[*taken.levels, new.config]).values
    disposal = dispose_turn(
        configuration.ingestion, new.messages, paused=taken.paused, now=now, names=taken.names
    )
    _tell_language(relationship.id, taken, new)
    index = NewMessages(retrieval_of(taken.levels), now)
    kept = store_turn(
        relationship_id=relationship.id,
        project_id=relationship.project_id,
        seq=taken.first_seq,
        turn=new,
        disposal=disposal,
        now=now,
        idle_minutes=configuration.sessions.idle_minutes,
        idempotency=idempotency,
        beside=index.beside,
    )
    index.settle(kept)
    turn, messages = kept.turn, kept.messages
    _find_language(relationship.id, taken)
    fired = fire_trigger(configuration.ingestion.trigger, relationship_id=relationship.id, turn=turn, now=now)
    stored = StoredTurn(turn, messages, taken.message_count, configuration, taken.paused, now)
    for listener in turn_listeners:
        listener(stored)
    if turn.state == TurnState.PENDING and fired and not kept.told:
        enqueue(relationship.id, project_id=relationship.project_id)
    return AcceptedTurn(turn, created=True)


def accept_report(
    *,
    relationship: Relationship,
    ingestion: Ingestion,
    texts: Sequence[str],
    kind: str,
    session: str,
    metadata: Mapping[str, Any] | None = None,
) -> Turn:
    """Store a report as a turn: `texts`, as tool messages by the companion's `kind`, such as its agent.

    They are read whatever `ingestion.roles` says, and at once unless reading is on request only, as they belong to no
    session that ends. Load `relationship` with its companion. Raises InvalidInput, NotFound.
    """
    speaker = f"{relationship.companion.name[:LONGEST_NAME]}'s {kind}"
    own: dict[str, Any] = {"roles": sorted({*ingestion.roles, MessageRole.TOOL.value})}
    if ingestion.trigger.mode != "explicit":
        own["trigger"] = {"mode": "every_turn"}
    said = [NewMessage(MessageRole.TOOL, text, speaker=speaker, metadata=metadata or {}) for text in texts]
    new = NewTurn(said, timezone.now(), session, config={"ingestion": own}, is_report=True)
    return accept_turn(relationship=relationship, new=new).turn


def _tell_language(relationship_id: UUID, taken: _Taken, new: NewTurn) -> None:
    """Detect it from the first messages before they are stored, so that they are indexed only once."""
    if taken.said_before:
        return
    said = [message.content for message in new.messages if message.role in SPOKEN]
    entries = ScratchpadEntry.objects.for_relationship(relationship_id)
    with tracing.span("find the language"):
        if keep_language(relationship_id, said) and entries.exists():
            complete_index(relationship_id, most=RESTEMMED)


def _find_language(relationship_id: UUID, taken: _Taken) -> None:
    before, count = taken.said_before, taken.message_count
    if not before or not looks_again(before, count, known=taken.language):
        return
    with tracing.span("find the language"):
        if keep_language(relationship_id):
            complete_index(relationship_id, most=RESTEMMED)  # a worker does the rest


@transaction.atomic
def retry_turn(*, relationship_id: UUID, turn_id: UUID) -> Turn:
    """Make a failed, skipped or waiting turn due now. Raises NotFound, TurnNotRetryable.

    It keeps its place and its date, so newer entries stay as they are. If it was off the record, search finds it from
    then on.
    """
    require_lock(relationship_id)
    turn: Turn = require(Turn.objects.for_relationship(relationship_id).filter(id=turn_id), "turn")
    if turn.state in {TurnState.APPLIED, TurnState.PROCESSING}:
        raise TurnNotRetryable(
            f"The turn is {turn.state}; only failed, skipped and waiting turns can be retried."
        )
    values = {
        "state": TurnState.PENDING,
        "due_at": timezone.now(),
        "waits_for": "",
        "attempts": 0,
        "settled_at": None,
        "waiting_since": None,
        "waits_on": "",
        "traceparent": tracing.traceparent(),
    }
    Turn.objects.for_relationship(relationship_id).filter(id=turn_id).update(
        **values, error_code="", error=""
    )
    if turn.state == TurnState.SKIPPED and (config := lock_config(relationship_id)) is not None:
        messages = Message.objects.for_relationship(relationship_id).filter(turn_id=turn_id)
        ids = list(messages.values_list("id", flat=True))
        index_again(config, SearchedKind.MESSAGE, ids, now=timezone.now())
    enqueue(relationship_id, project_id=turn.project_id)
    turn.refresh_from_db()
    return turn


@transaction.atomic
def ingest_now(*, relationship_id: UUID) -> int:
    """Make every turn that waits for its trigger due now; return how many."""
    waiting = Turn.objects.for_relationship(relationship_id)
    due: int = waiting.filter(state=TurnState.PENDING, due_at=None).update(
        due_at=timezone.now(), waits_for=""
    )
    if due:
        enqueue(relationship_id, project_id=project_of(relationship_id))
    return due


def _take_numbers(relationship: Relationship, new: NewTurn, key: RememberedKey | None) -> _Taken:
    count, spoken_at = 1 + len(new.messages), None if new.is_report else new.occurred_at
    asked: dict[str, Any] = {"relationship": relationship.id, "project": relationship.project_id}
    if key is not None:
        asked |= key.asked()
    with prepared_cursor() as cursor:
        statement = _TAKE_NUMBERS if key is None else _TAKE_NUMBERS_BY_KEY
        cursor.execute(statement, {"count": count, "spoken_at": spoken_at, **asked})
        row = cursor.fetchone()
    if row is None:
        raise NotFound("This relationship does not exist.")
    if not row[9]:
        raise KeyChanged("This key was changed.")
    levels = [orjson.loads(level) for level in row[2:5]]
    first, said_before = row[0] - count + 1, row[1] - count + 1
    return _Taken(first, row[1], levels, row[5], (row[6], row[7]), row[8], said_before)


def earlier_turn(relationship_id: UUID, idempotency: Idempotency | None) -> Turn | None:
    """The turn that an equal call created before."""
    turn_id = earlier_resource(relationship_id, idempotency) if idempotency else None
    if turn_id is None:
        return None
    turn: Turn = Turn.objects.for_relationship(relationship_id).get(id=turn_id)
    return turn


def _times(new: NewTurn) -> dict[str, datetime]:
    """When the turn and its messages were said, by field."""
    of_messages = {
        f"messages.{place}.occurred_at": message.occurred_at
        for place, message in enumerate(new.messages)
        if message.occurred_at is not None
    }
    return {"occurred_at": new.occurred_at, **of_messages}
