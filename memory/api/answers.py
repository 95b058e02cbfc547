"""The answers of memory's routes, described for OpenAPI, and how they are made from rows."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from memory.entries.time_travel import with_times
from memory.models import (
    EntryRevision,
    EntrySource,
    EntryState,
    HeldDeletion,
    HeldState,
    ModelCall,
    OperationResult,
    RevisionEvent,
    ScratchpadEntry,
    Tier,
    Verdict,
)
from relationships.models import Message, MessageRole, Turn, TurnState
from web.actor import ActorKind
from web.fields import Answer


class EntryAnswer(Answer):
    """One remembered thing."""

    id: UUID
    type: str
    tier: Tier
    state: EntryState
    subject: str
    content: str
    key: str | None
    importance: float
    confidence: float
    weight: float
    pinned: bool
    read_only: bool
    tags: dict[str, str]
    category: str
    metadata: dict[str, Any]
    modality: str
    source: EntrySource
    source_message_ids: list[UUID]
    recorded_at: datetime
    effective_at: datetime
    happens_at: str | None
    """As it was said: a year, a month, a day, a time, or a range."""
    valid_from: datetime | None
    valid_to: datetime | None
    expires_at: datetime | None
    last_accessed_at: datetime | None
    access_count: int
    version: int


class EntriesAnswer(Answer):
    items: list[EntryAnswer]


class RevisionAnswer(Answer):
    """One change: the entry before and after, who changed it, and what the change is based on."""

    id: UUID
    entry_id: UUID
    entry_version: int
    seq: int
    event: RevisionEvent
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    actor_kind: ActorKind
    actor_id: str
    turn_id: UUID | None
    model_call_id: UUID | None
    prompt_version: int | None
    model: str
    reason: str
    recorded_at: datetime
    effective_at: datetime
    redacted_at: datetime | None

    @classmethod
    def of(cls, row: Any, **beside: Any) -> dict[str, Any]:
        """With the times in `before` and `after` in the format of all other times."""
        return super().of(row, before=with_times(row.before), after=with_times(row.after), **beside)


class JudgementAnswer(Answer):
    """A proposed operation and its verdict: applied, none, refused or held."""

    operation: Any
    verdict: Verdict
    reason: str
    entry_id: UUID | None
    call_id: UUID | None
    """The call that proposed it. Entry numbers refer to the entries that this call showed."""


class RememberedAnswer(Answer):
    """A change that this turn made."""

    event: RevisionEvent
    entry_id: UUID
    type: str | None
    content: str | None


class TurnAnswer(Answer):
    """A turn and the state of its processing."""

    id: UUID
    relationship_id: UUID
    seq: int
    session: str
    tags: dict[str, str]
    category: str
    modality: str
    state: TurnState
    interrupted: bool
    """The reply broke off: its message is what the person had received by then."""
    occurred_at: datetime
    recorded_at: datetime
    due_at: datetime | None
    """When it is read; null: it waits for what `waits_for` says, or is settled."""
    waits_for: str
    settled_at: datetime | None
    attempts: int
    error_code: str
    error: str
    remembered: list[RememberedAnswer] | None
    """What it changed; null until it is applied, and in lists."""
    deletions_awaiting_review: int | None
    """How many of its deletions are held until somebody confirms or declines them; null until it is settled."""
    plans_awaiting_review: list[UUID] | None
    """Plans for what it asks to forget or correct, if nothing is certain or too much would go. They wait until
    somebody carries them out or declines them; null until it is settled.
    """


class MessageOfTurn(Answer):
    id: UUID
    seq: int
    role: MessageRole
    speaker: str
    content: str
    occurred_at: datetime
    erased_at: datetime | None
    hidden_at: datetime | None
    """Since when it has been hidden and unused; null: it is not hidden."""


class ModelCallAnswer(Answer):
    """One question to a model, as it was asked. Its numbers stand for the IDs in shown_*, from 1."""

    id: UUID
    purpose: str
    provider: str
    model: str
    prompt_version: int | None
    system: str
    prompt: str
    answer: str
    shown_entry_ids: list[UUID]
    shown_message_ids: list[UUID]
    reference_message_ids: list[UUID]
    prompt_tokens: int | None
    output_tokens: int | None
    cost: str | None
    milliseconds: float
    error_code: str
    error: str
    recorded_at: datetime
    redacted_at: datetime | None


class TurnTraceAnswer(TurnAnswer):
    """Everything about a turn: messages, operations with verdicts, model calls, timings."""

    config: dict[str, Any]
    prompt_version: int | None
    claimed_at: datetime | None
    messages: list[MessageOfTurn]
    operations: list[JudgementAnswer]
    calls: list[ModelCallAnswer]


class DueAnswer(Answer):
    due: int
    """How many turns were waiting for their trigger and are due now."""


class HeldAnswer(Answer):
    """Deletions that wait for a person."""

    id: UUID
    turn_id: UUID
    state: HeldState
    entries: list[dict[str, Any]]
    decided_by: str | None
    decided_at: datetime | None
    recorded_at: datetime


class DecidedAnswer(HeldAnswer):
    left_alone: list[UUID]
    """Entries that changed since, and so were not deleted."""


NOT_SETTLED: Mapping[str, Any] = dict.fromkeys(("deletions_awaiting_review", "plans_awaiting_review"))


def present_turn(
    turn: Turn,
    remembered: Iterable[EntryRevision] | None = None,
    *,
    awaiting_review: Mapping[str, Any] = NOT_SETTLED,
) -> dict[str, Any]:
    shown = None if remembered is None else [_remembered(revision) for revision in remembered]
    return TurnAnswer.of(turn, remembered=shown, **awaiting_review)


def present_trace(
    turn: Turn,
    remembered: Iterable[EntryRevision],
    messages: Iterable[Message],
    operations: Iterable[OperationResult],
    calls: Iterable[ModelCall],
    *,
    awaiting_review: Mapping[str, Any],
) -> dict[str, Any]:
    return TurnTraceAnswer.of(
        turn,
        remembered=[_remembered(revision) for revision in remembered],
        **awaiting_review,
        messages=[MessageOfTurn.of(message) for message in messages],
        operations=[result.as_json() for result in operations],
        calls=[ModelCallAnswer.of(call, cost=money(call.cost)) for call in calls],
    )


def present_held(
    held: HeldDeletion,
    deletions: Iterable[OperationResult],
    entries: Mapping[UUID | None, ScratchpadEntry],
) -> dict[str, Any]:
    return HeldAnswer.of(
        held,
        entries=[_held_entry(item, entries.get(item.entry_id)) for item in deletions],
        decided_by=f"{held.decided_by_kind}:{held.decided_by_id}" if held.decided_by_kind else None,
    )


def money(amount: Decimal | None) -> str | None:
    return None if amount is None else f"{amount:f}"  # never 0E-8


def _remembered(revision: EntryRevision) -> dict[str, Any]:
    fields = revision.after or {}
    return RememberedAnswer.of(revision, type=fields.get("type"), content=fields.get("content"))


def _held_entry(item: OperationResult, entry: ScratchpadEntry | None) -> dict[str, Any]:
    return {
        "entry_id": item.entry_id,
        "reason": item.held_reason,
        "state": entry.state if entry else "erased",
        "type": entry.type if entry else None,
        "content": entry.content if entry else None,
        "changed_since": entry is not None and entry.version != item.entry_version,
    }
