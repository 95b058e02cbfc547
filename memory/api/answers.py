"""What memory's routes answer, described for OpenAPI; memory.api.presenters makes them."""

from datetime import datetime
from typing import Any
from uuid import UUID

from relationships.api.fields import Answer


class EntryAnswer(Answer):
    """One remembered thing."""

    id: UUID
    type: str
    tier: str
    state: str
    subject: str
    content: str
    key: str | None
    importance: float
    confidence: float
    weight: float
    pinned: bool
    read_only: bool
    tags: dict[str, str]
    metadata: dict[str, Any]
    modality: str
    source: str
    source_message_ids: list[UUID]
    recorded_at: datetime
    effective_at: datetime
    happens_at: datetime | None
    valid_from: datetime | None
    valid_to: datetime | None
    expires_at: datetime | None
    last_accessed_at: datetime | None
    access_count: int
    version: int


class EntryPage(Answer):
    items: list[EntryAnswer]
    next_cursor: str | None


class RevisionAnswer(Answer):
    """One change: what it was, what it became, who did it, and what it rests on."""

    id: UUID
    entry_id: UUID
    entry_version: int
    seq: int
    event: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    actor_kind: str
    actor_id: str
    turn_id: UUID | None
    model_call_id: UUID | None
    prompt_version: int | None
    model: str
    reason: str
    recorded_at: datetime
    effective_at: datetime
    redacted_at: datetime | None


class RevisionPage(Answer):
    items: list[RevisionAnswer]
    next_cursor: str | None


class JudgementAnswer(Answer):
    """A proposed operation and its verdict: applied, none, refused or held."""

    operation: Any
    verdict: str
    reason: str
    entry_id: UUID | None
    call_id: UUID | None
    """The call whose answer it is of: its entry numbers count in what that call showed."""


class RememberedAnswer(Answer):
    """A change that this turn made."""

    event: str
    entry_id: UUID
    type: str | None
    content: str | None


class TurnAnswer(Answer):
    """A turn and how far remembering it has come."""

    id: UUID
    relationship_id: UUID
    seq: int
    session: str
    state: str
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
    """What it changed; null while it is not applied, and in lists."""
    deletions_awaiting_review: int | None
    """How many deletions of it are held until somebody confirms or declines them; null while it is not settled."""


class TurnPage(Answer):
    items: list[TurnAnswer]
    next_cursor: str | None


class MessageOfTurn(Answer):
    id: UUID
    seq: int
    role: str
    speaker: str
    content: str
    occurred_at: datetime
    erased_at: datetime | None


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
    state: str
    entries: list[dict[str, Any]]
    decided_by: str | None
    decided_at: datetime | None
    recorded_at: datetime


class HeldPage(Answer):
    items: list[HeldAnswer]
    next_cursor: str | None


class DecidedAnswer(HeldAnswer):
    left_alone: list[UUID]
    """Entries that were changed since, and so were not deleted."""


class PromptAnswer(Answer):
    """One version of a companion's ingestion prompt; 0 is the one that ships with Rapport."""

    version: int
    template: str
    note: str
    published: bool
    created_by: str | None
    created_at: datetime | None


class PromptPage(Answer):
    items: list[PromptAnswer]
    next_cursor: str | None


class PreviewAnswer(Answer):
    """What a prompt would have kept. Nothing was written."""

    prompt_version: int | None
    operations: list[JudgementAnswer]
    entries: list[dict[str, Any]]
    """The scratchpad as it would be."""
    system: str
    prompt: str
    answers: list[str]
    prompt_tokens: int | None
    output_tokens: int | None
    cost: str | None
    milliseconds: float
