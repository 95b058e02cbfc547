"""Store a turn with its messages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings

from config.postgresql.rows import insert_of, rows_text
from config.postgresql.sessions import prepared_cursor
from relationships.ids import uuid7
from relationships.models import DEFAULT_SESSION, Message, Turn, TurnState
from relationships.services.idempotency import KEEP_KEY, Idempotency, kept_key
from relationships.services.limits import message_fault, metadata_fault, misplaced_role, name_fault
from relationships.services.sessions import TOUCH_SESSION, touched
from web.errors import FieldProblem


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message to be stored. `occurred_at` defaults to its turn's."""

    role: str
    content: str
    speaker: str = ""
    occurred_at: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NewTurn:
    """A turn to be stored. `occurred_at` is when it was said; `config` is the cascade's highest level.

    `tags`, `category` and `modality` are passed on to the entries made from it. `interrupted`: the reply broke off.
    `is_report`: nobody spoke (accept_report of memory.ingestion.intake), so no session was active. `id`: a new ID that
    its caller has made.
    """

    messages: Sequence[NewMessage]
    occurred_at: datetime
    session: str = DEFAULT_SESSION
    config: Mapping[str, Any] | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    category: str = ""
    modality: str = "text"
    interrupted: bool = False
    is_report: bool = False
    id: UUID | None = None


@dataclass(frozen=True, slots=True)
class TurnDisposal:
    """The state in which the configuration lets a turn be stored. Without a `due_at` it waits for its trigger."""

    state: TurnState
    due_at: datetime | None
    waits_for: str = ""
    error_code: str = ""
    error: str = ""


def turn_faults(turn: NewTurn) -> list[FieldProblem]:
    """The parts of a turn that exceed a limit. A turn with any is refused, whichever API it came by."""
    problems = [FieldProblem("session", said)] if (said := name_fault(turn.session)) else []
    if not 1 <= len(turn.messages) <= settings.MAX_MESSAGES_PER_TURN:
        told = f"has {len(turn.messages)} messages; a turn may have 1 to {settings.MAX_MESSAGES_PER_TURN}"
        problems.append(FieldProblem("messages", told))
    for place, message in enumerate(turn.messages):
        faults = {
            "content": message_fault(message.content),
            "speaker": name_fault(message.speaker),
            "metadata": metadata_fault(message.metadata),
        }
        problems += [FieldProblem(f"messages.{place}.{name}", said) for name, said in faults.items() if said]
    if misplaced := misplaced_role([message.role for message in turn.messages]):
        place, sentence = misplaced
        problems.append(FieldProblem(f"messages.{place}.role", sentence))
    return problems


_NEW = f"""
WITH turns AS ({insert_of(Turn, "turn_rows")}),
     messages AS ({insert_of(Message, "messages")})"""
_SESSION = f", sessions AS ({TOUCH_SESSION})"
# No task is needed if an earlier turn is due or being processed: whoever reads it goes on to this one. The statement
# runs under the relationship's row lock, so it sees whether that turn was settled meanwhile. On a distributed database
# the new turn is there already when this part runs, so it is excluded.
_TOLD = """
SELECT (SELECT min(seq) FROM relationships_turn
         WHERE relationship_id = %(relationship)s AND id <> %(turn)s
           AND (state = 'processing' OR (state = 'pending' AND due_at IS NOT NULL))) IS NOT NULL"""


@dataclass(frozen=True, slots=True)
class WrittenBeside:
    """What another room adds to the statement that stores a turn: an INSERT, and expressions to select at the end.

    They see the rows from before the statement; on a distributed database perhaps the new ones too.
    """

    insert: str
    asked: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored turn. `told`: a task exists already. `answers`: the values of what WrittenBeside `asked`."""

    turn: Turn
    messages: Sequence[Message]
    told: bool
    answers: Sequence[Any] = ()


def store_turn(
    *,
    relationship_id: UUID,
    project_id: UUID,
    seq: int,
    turn: NewTurn,
    disposal: TurnDisposal,
    now: datetime,
    idle_minutes: int = 0,
    idempotency: Idempotency | None = None,
    beside: Callable[[Turn, Sequence[Message]], WrittenBeside] | None = None,
) -> Stored:
    """Insert the turn as number `seq`, its messages with the numbers after it, its session and the idempotency key.

    One statement. Call it under the relationship's row lock.
    """
    row = _turn_row(relationship_id, project_id, seq, turn, disposal, now)
    messages = _message_rows(row, turn.messages)
    values: dict[str, Any] = {
        "relationship": relationship_id,
        "project": project_id,
        "turn": row.id,
        "turn_rows": rows_text([row]),
        "messages": rows_text(messages),
    }
    written, asked = _NEW, _TOLD
    if not turn.is_report:
        written += _SESSION
        values |= touched(turn.session, at=now, idle_minutes=idle_minutes, turns=1)
    if idempotency is not None:
        written += f", keys AS ({KEEP_KEY})"
        values |= kept_key(idempotency, row.id)
    if beside is not None:
        other = beside(row, messages)
        written += f", others AS ({other.insert})"
        asked += f", {other.asked}"
        values |= other.values
    with prepared_cursor() as cursor:
        cursor.execute(written + asked, values)
        told, *answers = cursor.fetchone()
    return Stored(row, messages, told, answers)


def _turn_row(
    relationship_id: UUID, project_id: UUID, seq: int, turn: NewTurn, disposal: TurnDisposal, now: datetime
) -> Turn:
    return Turn(
        relationship_id=relationship_id,
        project_id=project_id,
        id=turn.id or uuid7(),
        seq=seq,
        session=turn.session,
        occurred_at=turn.occurred_at,
        config=dict(turn.config or {}),
        tags=dict(turn.tags),
        category=turn.category,
        modality=turn.modality,
        interrupted=turn.interrupted,
        state=disposal.state,
        due_at=disposal.due_at,
        waits_for=disposal.waits_for,
        error_code=disposal.error_code,
        error=disposal.error,
        settled_at=now if disposal.state == TurnState.SKIPPED else None,
    )


def _message_rows(turn: Turn, messages: Sequence[NewMessage]) -> list[Message]:
    return [
        Message(
            relationship_id=turn.relationship_id,
            project_id=turn.project_id,
            turn_id=turn.id,
            seq=turn.seq + place,
            session=turn.session,
            role=message.role,
            speaker=message.speaker,
            content=message.content,
            metadata=dict(message.metadata),
            occurred_at=message.occurred_at or turn.occurred_at,
        )
        for place, message in enumerate(messages, start=1)
    ]
