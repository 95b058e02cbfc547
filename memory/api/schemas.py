"""Bodies and query strings of memory's routes."""

from typing import Annotated, Any, Literal, Self
from uuid import UUID

from django.conf import settings
from pydantic import AfterValidator, BaseModel, Field, StringConstraints, ValidationError, model_validator

from memory.entries.happens import happens_text
from memory.entries.limits import (
    CATEGORY,
    MAX_TAGS,
    MAX_WEIGHT,
    MODALITY,
    TAG_NAME,
    TYPE,
    entry_fault,
    tags_fault,
)
from memory.models import EntryState, Tier
from memory.models.entry import MAX_HAPPENS_AT
from relationships.models import DEFAULT_SESSION, TurnState
from relationships.services.limits import message_fault, metadata_fault, misplaced_role
from web.errors import InvalidInput
from web.field_problems import field_problems, matching
from web.fields import (
    DIGITS,
    Body,
    JsonObject,
    Name,
    OneLine,
    PageQuery,
    Query,
    SessionName,
    ShortText,
    Timestamp,
    left_out,
    within,
    wrong_part,
)

MessageText = Annotated[
    str, StringConstraints(min_length=1, max_length=settings.MAX_MESSAGE_BYTES), within(message_fault)
]
EntryText = Annotated[
    str, StringConstraints(min_length=1, max_length=settings.MAX_ENTRY_BYTES), within(entry_fault)
]
_OF_A_NAME = "of a-z, 0-9 and _, beginning with a letter"
TypeName = Annotated[str, matching(TYPE, f"has to be 1 to 60 {_OF_A_NAME}")]
TagName = Annotated[
    str, matching(TAG_NAME, "has to be 1 to 60 letters from a to z, digits, and any of _ . : -")
]
TagValue = ShortText
Tags = Annotated[dict[TagName, TagValue], within(tags_fault)]
Category = Annotated[str, matching(CATEGORY, f"has to be up to 60 {_OF_A_NAME}")]
Modality = Annotated[str, matching(MODALITY, f"has to be 1 to 20 {_OF_A_NAME}")]
Metadata = Annotated[JsonObject, within(metadata_fault)]
Fraction = Annotated[float, Field(ge=0, le=1)]
Weight = Annotated[float, Field(ge=0, le=MAX_WEIGHT)]
HappensAt = Annotated[
    str, StringConstraints(min_length=4, max_length=MAX_HAPPENS_AT), AfterValidator(happens_text)
]
"""When something happens, as exactly as it was said."""


class MessageBody(Body):
    role: Literal["user", "assistant", "system", "tool"]
    content: MessageText
    speaker: ShortText = ""
    """A name, if it differs from the person's or the companion's own."""
    occurred_at: Timestamp | None = None
    """When it was said; the default is the turn's time."""
    metadata: Metadata = {}
    """Your own data; Rapport does not read it."""


def _roles_in_order(messages: list[MessageBody]) -> list[MessageBody]:
    misplaced = misplaced_role([message.role for message in messages])
    if misplaced:
        raise wrong_part(misplaced[0], "role", detail=misplaced[1])
    return messages


class TurnBody(Body):
    """One exchange. `occurred_at` back-dates it: an older turn never overrides newer facts. If left out, it is that
    of the last message if all have one, else now.
    """

    messages: Annotated[
        list[MessageBody],
        Field(min_length=1, max_length=settings.MAX_MESSAGES_PER_TURN),
        AfterValidator(_roles_in_order),
    ]
    session: SessionName = DEFAULT_SESSION
    occurred_at: Timestamp | None = None
    tags: Annotated[Tags, Field(max_length=MAX_TAGS)] = {}
    """The developer's own, as name: value; everything learnt from the turn carries them."""
    category: Category = ""
    """The developer's own word, such as `deadline`; carried like the tags."""
    modality: Modality = "text"
    """How it was said, such as `text` or `voice`; carried like the tags."""
    config: JsonObject = {}
    """The cascade's highest level, for this turn only."""


class WaitQuery(Query):
    wait: Annotated[int, Field(ge=0, le=int(settings.MAX_WAIT_SECONDS)), DIGITS] = 0
    """Seconds to wait until the turn is remembered; 0: do not wait."""


class TraceQuery(Query):
    hidden: bool = False
    """Include what was hidden: messages, and the words that quote them or quote forgotten entries."""


class TurnListQuery(PageQuery):
    state: TurnState | None = None
    session: SessionName | None = None


class EntryBody(Body):
    content: EntryText
    type: TypeName
    """One of the companion's entry types."""
    subject: Name = "user"
    """Whom it is about. If left out: the name that the content begins with ("Tom likes jazz") or ends with ("(about
    Tom)"), else `user`.
    """
    key: TypeName | None = None
    """A stable name such as `city`. If the configuration makes it single-valued, a new value supersedes the old."""
    tier: Tier = Tier.SCRATCHPAD
    importance: Fraction = 0.5
    confidence: Fraction = 1.0
    weight: Weight = 1.0
    pinned: bool = False
    read_only: bool = False
    tags: Annotated[Tags, Field(max_length=MAX_TAGS)] = {}
    category: Category = ""
    """The developer's own word, in addition to the type."""
    modality: Modality = "text"
    """How it was said, such as `text` or `voice`."""
    metadata: Metadata = {}
    happens_at: HappensAt | None = None
    """As it was said: 2023, 2023-03, 2023-03-01, 2023-03-01T15:00, or two of these with / between."""
    valid_from: Timestamp | None = None
    valid_to: Timestamp | None = None
    expires_at: Timestamp | None = None
    effective_at: Timestamp | None = None
    """When it was said or became known; the default is now."""
    reason: ShortText = ""


class EntriesBody(Body):
    entries: Annotated[list[EntryBody], Field(min_length=1, max_length=200)]


class EntryPatch(Body):
    """Only fields that are sent change; null empties a field that may be empty."""

    content: EntryText = left_out()
    type: TypeName = left_out()
    subject: Name = left_out()
    key: TypeName | None = left_out()
    tier: Tier = left_out()
    importance: Fraction = left_out()
    confidence: Fraction = left_out()
    weight: Weight = left_out()
    pinned: bool = left_out()
    read_only: bool = left_out()
    tags: Annotated[dict[TagName, TagValue | None], Field(max_length=2 * MAX_TAGS)] = left_out()
    """Merged into the existing tags; null removes one."""
    category: Category = left_out()
    modality: Modality = left_out()
    metadata: Metadata = left_out()
    """Merged into the existing metadata (RFC 7396)."""
    happens_at: HappensAt | None = left_out()
    valid_from: Timestamp | None = left_out()
    valid_to: Timestamp | None = left_out()
    expires_at: Timestamp | None = left_out()
    reason: ShortText = ""


class EntryChange(EntryPatch):
    id: UUID
    version: Annotated[int, Field(ge=1, le=2**31 - 1)] = left_out()
    """Refuse if it is another by now, as If-Match does."""


class EntriesPatch(Body):
    entries: Annotated[list[EntryChange], Field(min_length=1, max_length=200)]


class _Merged(BaseModel):
    tags: Tags = {}
    metadata: Metadata = {}


def check_merged(merged: dict[str, Any]) -> None:
    """Check tags and metadata after a patch was merged in, by the limits of a new entry. Raises InvalidInput."""
    try:
        _Merged.model_validate(merged)
    except ValidationError as error:
        problems = field_problems(error, merged)
        raise InvalidInput.naming(problems) from None


class EntryListQuery(PageQuery):
    type: TypeName | None = None
    tier: Tier | None = None
    state: EntryState | Literal["any"] = EntryState.ACTIVE
    hidden: bool = False
    """Include entries that were forgotten since, and the text an entry had before a part of it was forgotten."""
    subject: Name | None = None
    tag: Annotated[
        list[Annotated[str, matching(r"^[^=\x00-\x1f]{1,60}=[^\x00-\x1f]{0,200}$", "has to be name=value")]],
        Field(max_length=MAX_TAGS),
    ] = []
    """name=value; if there are several, all must match."""
    category: TypeName | None = None
    text: OneLine | None = None
    """Entries that contain all these words or identifiers, whole; case, accents, separators and endings are ignored.
    """
    text_contains: OneLine | None = None
    """Entries that contain this anywhere, even inside a word; case is ignored."""
    as_of: Timestamp | None = None
    """What was true then: what had been said by that time, with everything that is known today."""
    known_at: Timestamp | None = None
    """What was known then: the list as it was at that moment."""


class EntryQuery(Query):
    hidden: bool = False
    """Include its words if it was forgotten."""


class HistoryQuery(PageQuery):
    hidden: bool = False
    """Include the words of entries that a wish to forget hid, or whose messages are hidden."""


class DeleteEntryQuery(Query):
    permanent: bool = False
    """Erase it and every copy of it permanently."""
    messages: Literal["redact", "keep"] = "redact"
    """With `permanent`: what happens to the messages it came from."""


class ReasonBody(Body):
    reason: ShortText = ""


class WhichEntries(Body):
    entries: Annotated[list[UUID], Field(min_length=1, max_length=200)]
    reason: ShortText = ""


class PromptBody(Body):
    template: Annotated[str, StringConstraints(min_length=1, max_length=20_000)]
    """What to keep, as a sandboxed Jinja template; see docs/reference/ingestion-prompt.md."""
    note: ShortText = ""
    publish: bool = False
    """Use it from now on."""


class PreviewBody(Body):
    """A dry run: nothing is written. Give `messages`, or `relationship` with `turns`."""

    template: Annotated[str, StringConstraints(min_length=1, max_length=20_000)] | None = None
    """A draft; else `version`; else the published one."""
    version: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = None
    messages: (
        Annotated[list[MessageBody], Field(min_length=1, max_length=settings.MAX_MESSAGES_PER_TURN)] | None
    ) = None
    relationship: UUID | None = None
    turns: Annotated[list[UUID], Field(min_length=1, max_length=50)] | None = None
    start_from: Literal["empty", "present"] = "empty"
    """The scratchpad to begin with: an empty one, or the relationship's current one."""

    @model_validator(mode="after")
    def _messages_or_turns(self) -> Self:
        if (self.messages is None) == (self.turns is None):
            raise ValueError("give either messages, or relationship with turns")
        if (self.turns is not None or self.start_from == "present") and self.relationship is None:
            raise ValueError("name the relationship, too")
        if self.template is not None and self.version is not None:
            raise ValueError("give template or version, not both")
        return self
