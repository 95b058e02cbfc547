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
from web.fields import (
    DIGITS,
    Body,
    JsonObject,
    Name,
    PageQuery,
    Query,
    SessionName,
    ShortText,
    Timestamp,
    field_problems,
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
TypeName = Annotated[str, StringConstraints(pattern=TYPE)]
TagName = Annotated[str, StringConstraints(pattern=TAG_NAME)]
TagValue = Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]
Tags = Annotated[dict[TagName, TagValue], within(tags_fault)]
Category = Annotated[str, StringConstraints(pattern=CATEGORY)]
Modality = Annotated[str, StringConstraints(pattern=MODALITY)]
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
    """A name, where it differs from the person's or the companion's own."""
    occurred_at: Timestamp | None = None
    """When it was said; the turn's time if left out."""
    metadata: Metadata = {}
    """Your own; nothing here reads it."""


def _roles_in_order(messages: list[MessageBody]) -> list[MessageBody]:
    misplaced = misplaced_role([message.role for message in messages])
    if misplaced:
        raise wrong_part(misplaced[0], "role", detail=misplaced[1])
    return messages


class TurnBody(Body):
    """One exchange. `occurred_at` back-dates it: an older turn never overrules newer facts. Left out, it is that of the
    last message, where all have one, else now."""

    messages: Annotated[
        list[MessageBody],
        Field(min_length=1, max_length=settings.MAX_MESSAGES_PER_TURN),
        AfterValidator(_roles_in_order),
    ]
    session: SessionName = DEFAULT_SESSION
    occurred_at: Timestamp | None = None
    tags: Annotated[Tags, Field(max_length=MAX_TAGS)] = {}
    """The developer's own, as name: value; all that is learnt from the turn carries them."""
    category: Category = ""
    """The developer's own, such as `deadline`; carried like the tags."""
    modality: Modality = "text"
    """How it was said, such as `text` or `voice`; carried like the tags."""
    config: JsonObject = {}
    """The cascade's highest level, for this turn only."""


class WaitQuery(Query):
    wait: Annotated[int, Field(ge=0, le=int(settings.MAX_WAIT_SECONDS)), DIGITS] = 0
    """Seconds to wait for the turn to be remembered; 0: do not wait."""


class TraceQuery(Query):
    hidden: bool = False
    """What was hidden too: messages, and the words of what quotes them or entries that were forgotten."""


class TurnListQuery(PageQuery):
    state: TurnState | None = None
    session: SessionName | None = None


class EntryBody(Body):
    content: EntryText
    type: TypeName
    """One of the companion's entry types."""
    subject: Name = "user"
    """Whom it is about; left out: the name that the content begins with ("Tom likes jazz") or ends with
    ("(about Tom)"), else `user`."""
    key: TypeName | None = None
    """A stable name such as `city`. Where the configuration has it single-valued, it supersedes the old value."""
    tier: Tier = Tier.SCRATCHPAD
    importance: Fraction = 0.5
    confidence: Fraction = 1.0
    weight: Weight = 1.0
    pinned: bool = False
    read_only: bool = False
    tags: Annotated[Tags, Field(max_length=MAX_TAGS)] = {}
    category: Category = ""
    """The developer's own, beside the type."""
    modality: Modality = "text"
    """How it was said, such as `text` or `voice`."""
    metadata: Metadata = {}
    happens_at: HappensAt | None = None
    """As it was said: 2023, 2023-03, 2023-03-01, 2023-03-01T15:00, or two of these with / between."""
    valid_from: Timestamp | None = None
    valid_to: Timestamp | None = None
    expires_at: Timestamp | None = None
    effective_at: Timestamp | None = None
    """When it was said or became known; now if left out."""
    reason: ShortText = ""


class EntriesBody(Body):
    entries: Annotated[list[EntryBody], Field(min_length=1, max_length=200)]


class EntryPatch(Body):
    """Only what is sent is changed; null empties what may be empty."""

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
    """Merged into the tags there are; null takes one away."""
    category: Category = left_out()
    modality: Modality = left_out()
    metadata: Metadata = left_out()
    """Merged into the metadata there is (RFC 7396)."""
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
    """What a patch makes of tags and metadata is held to the limits of a new entry. Raises InvalidInput."""
    try:
        _Merged.model_validate(merged)
    except ValidationError as error:
        problems = field_problems(error, merged)
        raise InvalidInput.naming(problems) from None


FilterText = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$")]


class EntryListQuery(PageQuery):
    type: TypeName | None = None
    tier: Tier | None = None
    state: EntryState | Literal["any"] = EntryState.ACTIVE
    hidden: bool = False
    """Those too that were forgotten since, and what an entry said before a part of it was."""
    subject: Name | None = None
    tag: Annotated[
        list[Annotated[str, StringConstraints(pattern=r"^[^=\x00-\x1f]{1,60}=[^\x00-\x1f]{0,200}$")]],
        Field(max_length=MAX_TAGS),
    ] = []
    """name=value; several must all hold."""
    category: TypeName | None = None
    text: FilterText | None = None
    """Entries that have all these words: whole words and identifiers, in any case, accents, separators and endings."""
    text_contains: FilterText | None = None
    """Entries that contain this anywhere, as a part of a word too, in any case."""
    as_of: Timestamp | None = None
    """As it was true then: what had been said by that time, with all that is known today."""
    known_at: Timestamp | None = None
    """As it was known then: what stood in the list at that moment."""


class EntryQuery(Query):
    hidden: bool = False
    """Its words too where it was forgotten."""


class HistoryQuery(PageQuery):
    hidden: bool = False
    """The words too of what a wish to forget hid, or whose messages are hidden."""


class DeleteEntryQuery(Query):
    permanent: bool = False
    """Erase it and every copy of it, for good."""
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
    """The scratchpad to begin with: none, or the relationship's as it is now."""

    @model_validator(mode="after")
    def _messages_or_turns(self) -> Self:
        if (self.messages is None) == (self.turns is None):
            raise ValueError("give either messages, or relationship with turns")
        if (self.turns is not None or self.start_from == "present") and self.relationship is None:
            raise ValueError("name the relationship, too")
        if self.template is not None and self.version is not None:
            raise ValueError("give template or version, not both")
        return self
