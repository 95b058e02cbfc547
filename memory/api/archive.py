"""The document that an export writes and an import reads, strictly: each column of each table, as it may be kept.

Names, order and times are those of the tables (`memory.services.exporting.columns_of`; a test holds the two together).
"""

from decimal import Decimal
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from django.conf import settings
from pydantic import AfterValidator, Field, model_validator

from memory.api.schemas import EntryText, TagName, TagValue, TypeName
from memory.ingestion.operations import Verdict
from memory.models import EntrySource, EntryState, HeldState, RevisionEvent, Tier
from relationships.actor import ActorKind
from relationships.api.fields import Body, JsonObject, Name, SessionName, ShortText, Timestamp, TimeZone
from relationships.fail_fast import FailFastModel
from relationships.ids import uuid7

MAX_TAGS = 12

Count = Annotated[int, Field(ge=0, le=1_000_000_000)]  # leaves a column room to count on
Seq = Annotated[int, Field(ge=1, le=2**53)]
Fraction = Annotated[float, Field(ge=0, le=1)]
Milliseconds = Annotated[float, Field(ge=0)]
Code = Annotated[str, Field(max_length=60)]
Key = Annotated[str, Field(min_length=1, max_length=80)]


def _said(text: str) -> str:
    if len(text.encode()) > settings.MAX_MESSAGE_BYTES:
        raise ValueError(f"is longer than {settings.MAX_MESSAGE_BYTES} bytes")
    return text


class EntryFields(FailFastModel):
    """What a revision must know of an entry, whatever columns entries had when it was written."""

    id: UUID
    version: int
    type: str
    subject: str
    content: str
    content_hash: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    state: EntryState
    tier: Tier
    source_message_ids: list[UUID]


def _fields(value: dict[str, Any]) -> dict[str, Any]:
    """Checked, and kept as it was written."""
    EntryFields.model_validate(value)
    return value


Fields = Annotated[JsonObject, AfterValidator(_fields)]


class ArchivedProfile(Body):
    id: UUID
    data: JsonObject
    version: Count
    updated_at: Timestamp


class ArchivedProfileRevision(Body):
    id: UUID
    version: Count
    data: JsonObject
    actor_kind: Annotated[ActorKind, Field(strict=False)]
    actor_id: ShortText
    recorded_at: Timestamp


class ArchivedSession(Body):
    id: UUID
    session: SessionName
    state: JsonObject
    version: Count
    started_at: Timestamp
    last_active_at: Timestamp
    ended_at: Timestamp | None
    idle_at: Timestamp | None


class ArchivedMessage(Body):
    id: UUID
    seq: Seq
    role: Literal["user", "assistant", "system", "tool"]
    speaker: ShortText
    content: Annotated[str, AfterValidator(_said)]
    occurred_at: Timestamp
    recorded_at: Timestamp
    erased_at: Timestamp | None


class ArchivedJudgement(Body):
    operation: Any
    verdict: Annotated[Verdict, Field(strict=False)]
    reason: str
    entry_id: UUID | None
    call_id: UUID | None = None


class ArchivedTurn(Body):
    id: UUID
    seq: Seq
    session: SessionName
    occurred_at: Timestamp
    recorded_at: Timestamp
    config: JsonObject
    state: Literal["pending", "applied", "skipped", "failed"]
    due_at: Timestamp | None
    waits_for: Annotated[str, Field(max_length=20)]
    attempts: Count
    claimed_at: Timestamp | None
    settled_at: Timestamp | None
    error_code: Code
    error: str
    prompt_version: Count | None
    operations: list[ArchivedJudgement]
    model_call_ids: list[UUID]
    messages: Annotated[list[ArchivedMessage], Field(max_length=settings.MAX_MESSAGES_PER_TURN)]


class ArchivedEntry(Body):
    """`type` and `content` are enough for one from elsewhere; it then begins its history with the import."""

    id: UUID = Field(default_factory=uuid7)
    type: TypeName
    tier: Annotated[Tier, Field(strict=False)] = Tier.SCRATCHPAD
    state: Annotated[EntryState, Field(strict=False)] = EntryState.ACTIVE
    subject: Name = "user"
    content: EntryText
    key: Key | None = None
    single_valued: bool = False
    importance: Fraction = 0.5
    confidence: Fraction = 1.0
    weight: Annotated[float, Field(ge=0)] = 1.0
    pinned: bool = False
    read_only: bool = False
    tags: Annotated[dict[TagName, TagValue], Field(max_length=MAX_TAGS)] = {}
    metadata: JsonObject = {}
    modality: Annotated[str, Field(max_length=20)] = "text"
    source: Annotated[EntrySource, Field(strict=False)] = EntrySource.IMPORT
    source_message_ids: list[UUID] = []
    recorded_at: Timestamp | None = None
    effective_at: Timestamp | None = None
    happens_at: Timestamp | None = None
    valid_from: Timestamp | None = None
    valid_to: Timestamp | None = None
    expires_at: Timestamp | None = None
    last_accessed_at: Timestamp | None = None
    access_count: Count = 0
    version: Annotated[Count, Field(ge=1)] = 1

    @model_validator(mode="after")
    def _single_has_key(self) -> Self:
        if self.single_valued and self.key is None:
            raise ValueError("single_valued: an entry without a key can't be")
        return self


class ArchivedRevision(Body):
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
    model: Annotated[str, Field(max_length=120)]
    reason: str
    recorded_at: Timestamp
    effective_at: Timestamp
    redacted_at: Timestamp | None


class ArchivedHeldItem(Body):
    entry_id: UUID
    entry_version: Count
    reason: str
    message_ids: list[UUID]
    turn_id: UUID


class ArchivedHeldDeletion(Body):
    id: UUID
    turn_id: UUID
    deletions: list[ArchivedHeldItem]
    state: Annotated[HeldState, Field(strict=False)]
    decided_by_kind: Annotated[str, Field(max_length=20)]
    decided_by_id: ShortText
    decided_at: Timestamp | None
    recorded_at: Timestamp


class ArchivedModelCall(Body):
    id: UUID
    purpose: Annotated[str, Field(max_length=20)]
    turn_ids: list[UUID]
    provider: Code
    model: Annotated[str, Field(max_length=120)]
    prompt_version: Count | None
    system: str
    prompt: str
    answer: str
    shown_entry_ids: list[UUID]
    shown_message_ids: list[UUID]
    reference_message_ids: list[UUID]
    prompt_tokens: Count | None
    output_tokens: Count | None
    cost: Annotated[Decimal, Field(max_digits=14, decimal_places=8)] | None
    milliseconds: Milliseconds
    error_code: Code
    error: str
    recorded_at: Timestamp
    redacted_at: Timestamp | None


class ArchivedRelationship(Body):
    timezone: TimeZone = "UTC"
    config: JsonObject = {}
    last_turn_at: Timestamp | None = None


class Archive(Body):
    """`exported_from`, `companion` and `user` tell where it comes from; an import leaves its own as they are."""

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
    model_calls: list[ArchivedModelCall] = []
