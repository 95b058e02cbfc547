"""The document that an export writes and an import reads, strictly: each column of each table, as it may be kept."""

from decimal import Decimal
from typing import Annotated, Literal, Self, get_args, get_origin
from uuid import UUID

from django.conf import settings
from django.db import models
from pydantic import BaseModel, Field, model_validator

from behaviours.models import BehaviourRun, OutboxMessage
from memory.api.schemas import Category, Metadata, Tags
from memory.models import (
    EntryRevision,
    HeldDeletion,
    HeldState,
    ModelCall,
    OperationResult,
    RevisionEvent,
    ScratchpadEntry,
    Verdict,
)
from relationships.models import Message, Profile, ProfileRevision, SessionState, Turn
from relationships.services.limits import message_fault, misplaced_role
from summaries.models import Summary
from upkeep.archive.fields import (
    Attempts,
    CallText,
    Code,
    Count,
    Document,
    Due,
    EntryColumns,
    Erasable,
    Fields,
    Idle,
    Milliseconds,
    Modality,
    Model,
    Operation,
    Past,
    Purpose,
    Reason,
    Seq,
)
from upkeep.archive.other_rows import (
    ArchivedBehaviourRun,
    ArchivedFile,
    ArchivedOutboxMessage,
    ArchivedSummary,
)
from web.actor import ActorKind
from web.fields import Body, JsonObject, SessionName, ShortText, TimeZone, wrong_part


class ArchivedProfile(Body):
    id: UUID
    data: Document
    version: Count
    updated_at: Past


class ArchivedProfileRevision(Body):
    id: UUID
    version: Count
    data: Document
    actor_kind: Annotated[ActorKind, Field(strict=False)]
    actor_id: ShortText
    recorded_at: Past


class ArchivedSession(Body):
    id: UUID
    session: SessionName
    state: Document
    version: Count
    started_at: Past
    last_active_at: Past
    ended_at: Past | None
    idle_at: Idle | None

    @model_validator(mode="after")
    def _ended_is_empty(self) -> Self:
        if self.ended_at is not None and self.state:
            raise wrong_part("state", detail="is of a session that has ended, and ending clears it")
        return self


class ArchivedMessage(Erasable):
    texts = ("content", "metadata")
    erased = "erased_at"
    id: UUID
    seq: Seq
    role: Literal["user", "assistant", "system", "tool"]
    speaker: ShortText
    content: str
    metadata: Metadata = {}
    occurred_at: Past
    recorded_at: Past
    erased_at: Past | None
    hidden_at: Past | None = None

    @model_validator(mode="after")
    def _says_something_or_is_erased(self) -> Self:
        if self.erased_at is None and (fault := message_fault(self.content)):
            raise wrong_part("content", detail=fault)
        return self


class ArchivedOperation(Body):
    """Without `message_ids` the operation may rest on any message of its turn."""

    operation: Operation
    verdict: Annotated[Verdict, Field(strict=False)]
    reason: Reason
    entry_id: UUID | None
    call_id: UUID | None = None
    entry_ids: list[UUID] = []
    message_ids: list[UUID] | None = None
    held_id: UUID | None = None
    entry_version: Count | None = None
    held_reason: Reason = ""

    @model_validator(mode="after")
    def _held_is_of_an_entry(self) -> Self:
        if self.held_id is not None and (self.entry_id is None or self.entry_version is None):
            raise wrong_part("held_id", detail="is of no entry: entry_id and entry_version say which is held")
        return self


class ArchivedTurn(Body):
    id: UUID
    seq: Seq
    session: SessionName
    occurred_at: Past
    recorded_at: Past
    config: JsonObject
    tags: Tags = {}
    category: Category = ""
    modality: Modality = "text"
    interrupted: bool = False
    state: Literal["pending", "applied", "skipped", "failed"]
    due_at: Due | None
    waits_for: Literal["", "every_n_turns", "session_end", "explicit"]
    attempts: Attempts
    claimed_at: Past | None
    settled_at: Past | None
    error_code: Code
    error: Reason
    prompt_version: Count | None
    operations: list[ArchivedOperation]
    model_call_ids: list[UUID]
    messages: Annotated[list[ArchivedMessage], Field(min_length=1, max_length=settings.MAX_MESSAGES_PER_TURN)]

    @model_validator(mode="after")
    def _can_be_read(self) -> Self:
        if self.state == "pending" and self.due_at is None and not self.waits_for:
            raise wrong_part("waits_for", detail="is empty, and so is due_at: a pending turn has one of them")
        if misplaced := misplaced_role([message.role for message in self.messages]):
            raise wrong_part("messages", misplaced[0], "role", detail=misplaced[1])
        return self


class ArchivedEntry(EntryColumns):
    """`type` and `content` are enough for an entry from elsewhere; its history then begins with the import."""

    @model_validator(mode="after")
    def _single_has_key(self) -> Self:
        if self.single_valued and self.key is None:
            raise wrong_part("single_valued", detail="an entry without a key can't be")
        return self


class ArchivedRevision(Erasable):
    texts = ("before", "after", "reason")
    id: UUID
    entry_id: UUID
    entry_version: Count
    seq: Seq
    event: Annotated[RevisionEvent, Field(strict=False)]
    before: Fields | None
    after: Fields | None
    actor_kind: Annotated[ActorKind, Field(strict=False)]
    actor_id: ShortText
    turn_id: UUID | None
    model_call_id: UUID | None
    prompt_version: Count | None
    model: Model
    reason: Reason
    recorded_at: Past
    effective_at: Past
    redacted_at: Past | None


class ArchivedHeldDeletion(Body):
    id: UUID
    turn_id: UUID
    state: Annotated[HeldState, Field(strict=False)]
    decided_by_kind: Annotated[ActorKind, Field(strict=False)] | Literal[""]
    decided_by_id: ShortText
    decided_at: Past | None
    recorded_at: Past


class ArchivedModelCall(Erasable):
    texts = ("system", "prompt", "answer", "error")
    id: UUID
    purpose: Purpose
    turn_ids: list[UUID]
    provider: Code
    model: Model
    prompt_version: Count | None
    system: CallText
    prompt: CallText
    answer: CallText
    shown_entry_ids: list[UUID]
    shown_message_ids: list[UUID]
    reference_message_ids: list[UUID]
    prompt_tokens: Count | None
    output_tokens: Count | None
    cost: Annotated[Decimal, Field(ge=0, max_digits=14, decimal_places=8)] | None
    milliseconds: Milliseconds
    error_code: Code
    error: Reason
    recorded_at: Past
    redacted_at: Past | None


class ArchivedRelationship(Body):
    timezone: TimeZone = "UTC"
    config: JsonObject = {}
    last_turn_at: Past | None = None


class Archive(Body):
    """`exported_from`, `companion` and `user` say where the export comes from; an import does not change its own
    companion and user.
    """

    format: Literal["rapport.relationship"]
    version: Literal[1]
    exported_from: JsonObject | None = None
    companion: JsonObject | None = None
    user: JsonObject | None = None
    relationship: ArchivedRelationship = ArchivedRelationship()
    profile: ArchivedProfile | None = None
    profile_revisions: list[ArchivedProfileRevision] = []
    sessions: list[ArchivedSession] = []
    turns: list[ArchivedTurn] = []
    entries: list[ArchivedEntry] = []
    revisions: list[ArchivedRevision] = []
    held_deletions: list[ArchivedHeldDeletion] = []
    summaries: list[ArchivedSummary] = []
    behaviour_runs: list[ArchivedBehaviourRun] = []
    outbox: list[ArchivedOutboxMessage] = []
    files: list[ArchivedFile] = []
    model_calls: list[ArchivedModelCall] = []


ROWS: dict[str, type[BaseModel]] = {
    name: get_args(field.annotation)[0]
    for name, field in Archive.model_fields.items()
    if get_origin(field.annotation) is list
}
# What the rows of a table look like in it, in the order in which they are written.
SHAPES: dict[type[models.Model], type[BaseModel]] = {
    Profile: ArchivedProfile,
    ProfileRevision: ArchivedProfileRevision,
    SessionState: ArchivedSession,
    Turn: ArchivedTurn,
    Message: ArchivedMessage,
    ScratchpadEntry: ArchivedEntry,
    EntryRevision: ArchivedRevision,
    OperationResult: ArchivedOperation,
    HeldDeletion: ArchivedHeldDeletion,
    Summary: ArchivedSummary,
    BehaviourRun: ArchivedBehaviourRun,
    OutboxMessage: ArchivedOutboxMessage,
    ModelCall: ArchivedModelCall,
}
