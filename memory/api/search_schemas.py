"""Bodies and answers of the two searches."""

from typing import Annotated
from uuid import UUID

from pydantic import AfterValidator, Field, StringConstraints

from memory.api.answers import EntryAnswer
from memory.api.schemas import Tags, TypeName
from memory.models import EntryState, Tier
from memory.retrieval.questions import LONGEST_QUESTION
from relationships.api.fields import Answer, Body, JsonObject, Name, SessionName, Timestamp
from relationships.api.messages import MessageAnswer
from relationships.models import MessageRole

MOST = 200  # answers of one search
MOST_VALUES = 50  # of one filter


def _says_something(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty; say what to look for")
    return text


QueryText = Annotated[
    str, StringConstraints(min_length=1, max_length=LONGEST_QUESTION), AfterValidator(_says_something)
]


class SearchBody(Body):
    query: QueryText
    """A question or a statement, in plain words."""
    top_k: Annotated[int, Field(ge=1, le=MOST)] | None = None
    """How many at most; if left out, as the configuration says."""
    ranker: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = None
    """`best`, `hybrid`, `cosine`, `importance` or `decay`; if left out, the configuration's `retrieval.ranker`."""
    min_score: Annotated[float, Field(ge=0)] | None = None
    """Leave out what scores less, by the ranker's own scale."""
    told_from: Timestamp | None = None
    """Only what was said then or later."""
    told_to: Timestamp | None = None
    """Only what was said before that."""
    explain: bool = False
    """Say of every hit what its score is made of."""
    config: JsonObject = {}
    """The cascade's highest level, for this search only."""


class EntrySearchBody(SearchBody):
    types: Annotated[tuple[TypeName, ...], Field(strict=False, max_length=MOST_VALUES)] = ()
    """Any of these; if left out, all. So are `tiers` and `states`."""
    tags: Tags = {}
    """All of these, as name: value."""
    tiers: Annotated[tuple[Tier, ...], Field(strict=False, max_length=MOST_VALUES)] = ()
    states: Annotated[tuple[EntryState, ...], Field(strict=False, min_length=1, max_length=MOST_VALUES)] = (
        EntryState.ACTIVE,
    )
    """`active` if left out."""
    subject: Name | None = None
    """Whom it is about."""


class MessageSearchBody(SearchBody):
    roles: Annotated[tuple[MessageRole, ...], Field(strict=False, max_length=MOST_VALUES)] = ()
    """Any of these; if left out, all."""
    session: SessionName | None = None


class SpaceAnswer(Answer):
    model: str
    dimensions: int


class EntryHitAnswer(EntryAnswer):
    """An entry that was found. `source_message_ids` leads to the messages it rests on."""

    score: float
    parts: dict[str, float] | None
    """What the score is made of; with `explain` only, like `reason`."""
    reason: str | None


class MessageHitAnswer(MessageAnswer):
    """A message that was found."""

    score: float
    parts: dict[str, float] | None
    """What the score is made of; with `explain` only, like `reason`."""
    reason: str | None
    cited_by: list[UUID]
    """Active entries that rest on it."""


class SearchAnswer(Answer):
    ranker: str
    """Who ranked. Another one than asked for, where that compares vectors and there are none; `notes` say so."""
    space: SpaceAnswer | None
    """Whose vectors were compared; null: found by words alone."""
    considered: int
    """How many passed the filters and were ranked."""
    notes: list[str]
    """What was not as configured, a sentence each."""
    milliseconds: float


class EntrySearchAnswer(SearchAnswer):
    items: list[EntryHitAnswer]
    """Best first."""


class MessageSearchAnswer(SearchAnswer):
    items: list[MessageHitAnswer]
    """Best first."""
