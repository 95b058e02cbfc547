"""What the columns of an archive may hold: by the limits of the API, and of whoever else writes them."""

from datetime import timedelta
from typing import Annotated, Any, ClassVar, Self
from uuid import UUID

from django.conf import settings
from django.utils import timezone
from pydantic import AfterValidator, Field, PlainSerializer, StringConstraints, model_validator

from memory.api.schemas import Category, EntryText, HappensAt, Metadata, Tags, TypeName, Weight
from memory.entries.fingerprint import content_hash
from memory.entries.history import plain
from memory.entries.limits import (
    FUTURE_TOLERANCE_SECONDS,
    MAX_KEY,
    MAX_REASON,
    call_text_fault,
    operation_fault,
)
from memory.models import EntrySource, EntryState, Tier
from relationships.services.limits import document_fault, message_fault, name_fault
from web.field_problems import matching
from web.fields import Body, JsonObject, Name, Timestamp, within, wrong_part

MOST_ATTEMPTS = 10_000  # of a turn: RAPPORT_MAX_ATTEMPTS can be up to 1,000

Count = Annotated[int, Field(ge=0, le=1_000_000_000)]  # leaves room in the column for more
Seq = Annotated[int, Field(ge=1, le=2**53)]
Fraction = Annotated[float, Field(ge=0, le=1)]
Milliseconds = Annotated[float, Field(ge=0, le=2**53)]
Attempts = Annotated[int, Field(ge=0, le=MOST_ATTEMPTS)]


def _line(most: int) -> AfterValidator:
    return within(lambda text: name_fault(text, most))


Code = Annotated[str, _line(60)]
Model = Annotated[str, _line(120)]
Modality = Annotated[str, _line(20)]
Purpose = Annotated[str, _line(20)]
Key = Annotated[str, _line(MAX_KEY), Field(min_length=1)]
Reason = Annotated[str, StringConstraints(max_length=MAX_REASON)]
Document = Annotated[JsonObject, within(document_fault)]
CallText = Annotated[str, within(call_text_fault)]
Operation = Annotated[Any, within(operation_fault)]
# An entry's limit may have been higher once, but never higher than that of messages.
PastText = Annotated[str, within(message_fault)]


def _ahead(most: timedelta, said: str) -> AfterValidator:
    """A validator for a time that may lie so far ahead."""
    return within(lambda moment: said if moment > timezone.now() + most else "")


TOLERANCE = timedelta(seconds=FUTURE_TOLERANCE_SECONDS)
LONGEST_PAUSE = timedelta(seconds=settings.RETRY_CAP_SECONDS)  # between two attempts
LONGEST_IDLE = timedelta(minutes=525_600)  # as sessions.idle_minutes

Past = Annotated[Timestamp, _ahead(TOLERANCE, "lies in the future; say when it was")]
Idle = Annotated[Timestamp, _ahead(LONGEST_IDLE, "is further ahead than any idle timeout")]
Due = Annotated[
    Timestamp,
    _ahead(
        timedelta(days=1) + LONGEST_PAUSE,
        "is more than a day ahead, further than any turn waits; write an earlier time",
    ),
]


class EntryColumns(Body):
    """An entry's columns, in the order of its table, with what one from elsewhere may leave out."""

    id: UUID | None = None
    type: TypeName
    tier: Annotated[Tier, Field(strict=False)] = Tier.SCRATCHPAD
    state: Annotated[EntryState, Field(strict=False)] = EntryState.ACTIVE
    subject: Name = "user"
    content: EntryText
    key: Key | None = None
    single_valued: bool = False
    importance: Fraction = 0.5
    confidence: Fraction = 1.0
    weight: Weight = 1.0
    pinned: bool = False
    read_only: bool = False
    tags: Tags = {}
    category: Category = ""
    metadata: Metadata = {}
    modality: Modality = "text"
    source: Annotated[EntrySource, Field(strict=False)] = EntrySource.IMPORT
    source_message_ids: list[UUID] = []
    recorded_at: Past | None = None
    effective_at: Past | None = None
    happens_at: HappensAt | None = None
    valid_from: Timestamp | None = None
    valid_to: Timestamp | None = None
    expires_at: Timestamp | None = None
    last_accessed_at: Past | None = None
    access_count: Count = 0
    version: Annotated[Count, Field(ge=1)] = 1


class EntryFields(EntryColumns):
    """An entry as stored in a revision: the fields that erasing and looking into the past need, and any others."""

    id: UUID
    tier: Annotated[Tier, Field(strict=False)]
    state: Annotated[EntryState, Field(strict=False)]
    subject: Name
    content: PastText
    source_message_ids: list[UUID]
    effective_at: Timestamp
    version: Count
    content_hash: Annotated[str, matching("^[0-9a-f]{64}$", "has to be 64 of 0-9 and a-f")]


def _as_history_has_it(fields: EntryFields) -> dict[str, Any]:
    """The fields as `memory.entries.history` writes them, with the content's fingerprint."""
    told = {
        name: str(value) if isinstance(value, EntryState | Tier | EntrySource) else plain(value)
        for name, value in fields.model_dump(exclude_unset=True).items()
    }
    return {**told, "content_hash": content_hash(fields.content).hex()}


Fields = Annotated[EntryFields, AfterValidator(_as_history_has_it), PlainSerializer(lambda fields: fields)]


class Erasable(Body):
    """A row whose columns `texts` are empty if the column `erased` says when they were erased."""

    texts: ClassVar[tuple[str, ...]]
    erased: ClassVar[str] = "redacted_at"

    @model_validator(mode="after")
    def _erased_is_empty(self) -> Self:
        for name in self.texts:
            if getattr(self, self.erased) is not None and getattr(self, name):
                raise wrong_part(name, detail="is marked as erased, and holds words")
        return self
