"""Stores what was said: one turn and its messages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings

from relationships.ids import uuid7
from relationships.models import DEFAULT_SESSION, Message, Turn, TurnState
from relationships.services.limits import message_fault, metadata_fault, misplaced_role, name_fault
from web.errors import FieldProblem


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message as it comes in. `occurred_at` defaults to its turn's."""

    role: str
    content: str
    speaker: str = ""
    occurred_at: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NewTurn:
    """A turn as it comes in. `occurred_at` is when it was said; `config` the cascade's highest level.

    `tags`, `category` and `modality` are carried to all that is learnt from it. `interrupted`: the reply broke off.
    """

    messages: Sequence[NewMessage]
    occurred_at: datetime
    session: str = DEFAULT_SESSION
    config: Mapping[str, Any] | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    category: str = ""
    modality: str = "text"
    interrupted: bool = False


@dataclass(frozen=True, slots=True)
class TurnDisposal:
    """What the configuration makes of a turn at its intake. With `due_at` null it waits for its trigger."""

    state: TurnState
    due_at: datetime | None
    waits_for: str = ""
    error_code: str = ""
    error: str = ""


def turn_faults(turn: NewTurn) -> list[FieldProblem]:
    """What keeps a turn from being taken in, by whichever door: each part of it that is past a limit."""
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


def store_turn(
    *, relationship_id: UUID, project_id: UUID, seq: int, turn: NewTurn, disposal: TurnDisposal, now: datetime
) -> tuple[Turn, list[Message]]:
    """Insert the turn as number `seq` and its messages as the numbers after it. Call inside a transaction."""
    row = Turn(
        relationship_id=relationship_id,
        project_id=project_id,
        id=uuid7(),
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
    row.save(force_insert=True)
    messages = Message.objects.bulk_create(
        Message(
            relationship_id=relationship_id,
            project_id=project_id,
            turn_id=row.id,
            seq=seq + place,
            session=turn.session,
            role=message.role,
            speaker=message.speaker,
            content=message.content,
            metadata=dict(message.metadata),
            occurred_at=message.occurred_at or turn.occurred_at,
        )
        for place, message in enumerate(turn.messages, start=1)
    )
    return row, messages
