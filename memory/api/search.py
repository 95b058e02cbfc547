"""The two searches, for entries and for messages."""

from typing import Annotated, Any, ClassVar
from uuid import UUID

import orjson
from django.utils import timezone
from pydantic import Field, StringConstraints
from rest_framework.request import Request
from rest_framework.response import Response

from config.postgresql.sessions import prepared_cursor
from memory.api.answers import EntryAnswer
from memory.api.schemas import Tags, TypeName
from memory.models import EntryState, SearchedKind, Tier
from memory.names_meant import search_as_meant
from memory.retrieval.questions import LONGEST_QUESTION, read_asked
from memory.retrieval.results import EntryFilters, Hit, MessageFilters, SearchResult, reason_of
from memory.retrieval.search import params_of, search_entries, search_messages
from relationships.api.messages import MessageAnswer
from relationships.api.views import ApiView
from relationships.models import MessageRole
from web.consistency import ConsistencyBody, ReadFromAnswer
from web.fields import NOT_BLANK, Answer, JsonObject, Name, SessionName, Timestamp
from web.operations import operation

MOST = 200  # answers of one search
MOST_VALUES = 50  # of one filter


QueryText = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_QUESTION), NOT_BLANK]


class SearchBody(ConsistencyBody):
    query: QueryText
    """A question or a statement, in plain words."""
    top_k: Annotated[int, Field(ge=1, le=MOST)] | None = None
    """How many at most; the default comes from the configuration."""
    ranker: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = None
    """`best`, `hybrid`, `cosine`, `importance` or `decay`; if left out, the configuration's `retrieval.ranker`."""
    min_score: Annotated[float, Field(ge=0)] | None = None
    """Leave out hits that score less, on the ranker's own scale."""
    min_fit: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Leave out hits that fit less, whatever the ranker; .25 leaves out most of what is unrelated to the question."""
    told_from: Timestamp | None = None
    """Only what was said then or later."""
    told_to: Timestamp | None = None
    """Only what was said before that."""
    explain: bool = False
    """Say what the score of each hit is made of."""
    config: JsonObject = {}
    """The cascade's highest level, for this search only."""


class EntrySearchBody(SearchBody):
    types: Annotated[tuple[TypeName, ...], Field(strict=False, max_length=MOST_VALUES)] = ()
    """Any of these; if left out, all. The same applies to `tiers` and `states`."""
    tags: Tags = {}
    """All of these, as name: value."""
    category: TypeName | None = None
    """The developer's own."""
    tiers: Annotated[tuple[Tier, ...], Field(strict=False, max_length=MOST_VALUES)] = ()
    states: Annotated[tuple[EntryState, ...], Field(strict=False, min_length=1, max_length=MOST_VALUES)] = (
        EntryState.ACTIVE,
    )
    """The default is `active`."""
    subject: Name | None = None
    """Whom it is about."""


class MessageSearchBody(SearchBody):
    roles: Annotated[tuple[MessageRole, ...], Field(strict=False, max_length=MOST_VALUES)] = ()
    """Any of these; if left out, all."""
    session: SessionName | None = None


class SpaceAnswer(Answer):
    model: str
    dimensions: int


class ScoredAnswer(Answer):
    score: float
    """On the ranker's own scale, which depends on the other hits."""
    fit: float
    """How much of the question it covers, from 0 to 1, whatever the ranker and the other hits. So possibly nothing
    fits.
    """
    parts: dict[str, float] | None
    """What the score is made of; only with `explain`, like `reason`."""
    reason: str | None


class EntryHitAnswer(ScoredAnswer, EntryAnswer):
    """An entry that was found. `source_message_ids` leads to the messages it rests on."""


class MessageHitAnswer(ScoredAnswer, MessageAnswer):
    """A message that was found."""

    cited_by: list[UUID]
    """Active entries that rest on it."""


class SearchAnswer(ReadFromAnswer):
    ranker: str
    """The ranker used. It differs from the one asked for if that compares vectors and there are none; `notes` then
    say so.
    """
    reranker: str | None
    """The reranker that then reordered the first 40, so scores may rise down the list; null: none."""
    space: SpaceAnswer | None
    """The embedder whose vectors were compared; null: found by words only."""
    considered: int
    """How many passed the filters and were ranked."""
    notes: list[str]
    """What differed from the configuration, and whom a word such as "boss" means, one sentence each."""
    milliseconds: float


class EntrySearchAnswer(SearchAnswer):
    items: list[EntryHitAnswer]
    """Best first."""


class MessageSearchAnswer(SearchAnswer):
    items: list[MessageHitAnswer]
    """Best first."""


class SearchView(ApiView):
    open_to_tokens = True
    scopes: ClassVar = {"POST": "read"}  # changes nothing; a question may be too long for a GET
    counts_as: ClassVar = {"POST": "searches"}

    def asked(self, relationship_id: UUID, kind: SearchedKind, body: SearchBody) -> dict[str, Any]:
        """The parameters that both searches share."""
        own = {"project_id": self.project_id, "relationship_id": relationship_id}
        participants, configuration = read_asked(**own, kind=kind, turn=self.own_level(body.config))
        return {
            **params_of(configuration, **own, now=timezone.now()),
            "text": body.query,
            "participants": participants,
            "top_k": body.top_k,
            "ranker": body.ranker,
            "min_score": body.min_score,
            "min_fit": body.min_fit,
        }


class EntrySearchView(SearchView):
    tag = "Entries"

    @operation("entries_search", "Search entries", answers={200: EntrySearchAnswer})
    def post(self, request: Request, relationship_id: UUID, body: EntrySearchBody) -> Response:
        """Entries of both tiers that are relevant to the question, best first. A new entry is found by its words at
        once, and by its meaning as soon as a worker has embedded it.
        """
        filters = EntryFilters(
            types=body.types,
            tags=body.tags,
            tiers=tuple(map(str, body.tiers)),
            states=tuple(map(str, body.states)),
            told_from=body.told_from,
            told_to=body.told_to,
            subject=body.subject,
            category=body.category,
        )

        def make() -> dict[str, Any]:
            asked = self.asked(relationship_id, SearchedKind.ENTRY, body)
            found = search_as_meant(search_entries, **asked, filters=filters)
            return _present(found, _read_rows(_ENTRIES, found, relationship_id), explain=body.explain)

        return self.answer_by(body, make)


class MessageSearchView(SearchView):
    tag = "Messages"

    @operation("messages_search", "Search messages", answers={200: MessageSearchAnswer})
    def post(self, request: Request, relationship_id: UUID, body: MessageSearchBody) -> Response:
        """Messages that are relevant to the question, best first. The ranking uses the words and the meaning of the
        message and its neighbours, who said it, and when. A search does not find messages said in a pause or in a
        turn that was not to be read, or messages that a deleted entry rests on. The list of messages has them.
        """
        filters = MessageFilters(
            roles=tuple(map(str, body.roles)),
            session=body.session,
            told_from=body.told_from,
            told_to=body.told_to,
        )

        def make() -> dict[str, Any]:
            asked = self.asked(relationship_id, SearchedKind.MESSAGE, body)
            found = search_as_meant(search_messages, **asked, filters=filters)
            return _present(found, _read_rows(_MESSAGES, found, relationship_id), explain=body.explain)

        return self.answer_by(body, make)


_ENTRIES = f"""
SELECT {", ".join(EntryAnswer.model_fields)} FROM memory_scratchpadentry
 WHERE relationship_id = %(relationship)s AND id = ANY(%(ids)b)
"""  # noqa: S608 - our own column names
# With the active entries that cite each message, oldest first. One scan of the entries serves all messages.
_MESSAGES = f"""
WITH citing AS MATERIALIZED (
    SELECT id, effective_at, source_message_ids FROM memory_scratchpadentry
     WHERE relationship_id = %(relationship)s AND state = 'active' AND source_message_ids && %(ids)b
)
SELECT {", ".join(MessageAnswer.model_fields)},
       ARRAY(SELECT c.id FROM citing c WHERE m.id = ANY(c.source_message_ids) ORDER BY c.effective_at, c.id) AS cited_by
  FROM relationships_message m
 WHERE relationship_id = %(relationship)s AND id = ANY(%(ids)b) AND erased_at IS NULL
"""  # noqa: S608 - our own column names
_JSON = ("metadata", "tags")


def _read_rows(statement: str, found: SearchResult, relationship_id: UUID) -> dict[UUID, dict[str, Any]]:
    """The rows of what was found, by ID, without what was removed since."""
    if not found.hits:
        return {}
    with prepared_cursor() as cursor:
        cursor.execute(statement, {"relationship": relationship_id, "ids": [hit.id for hit in found.hits]})
        names = [column.name for column in cursor.description]
        rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    for row in rows:
        row.update({name: orjson.loads(row[name]) for name in _JSON if name in row})
    return {row["id"]: row for row in rows}


def _present(found: SearchResult, rows: dict[UUID, dict[str, Any]], *, explain: bool) -> dict[str, Any]:
    """Present what was found, without what was removed since."""
    return {
        "items": [rows[hit.id] | _scored(hit, found, explain) for hit in found.hits if hit.id in rows],
        "ranker": found.ranker,
        "reranker": found.reranker,
        "space": found.space and found.space._asdict(),
        "considered": found.considered,
        "notes": list(found.notes),
        "milliseconds": round(found.milliseconds, 3),
    }


def _scored(hit: Hit, found: SearchResult, explain: bool) -> dict[str, Any]:
    return {
        "score": hit.score,
        "fit": hit.fit,
        "parts": dict(hit.parts) if explain else None,
        "reason": reason_of(hit, found.ranker) if explain else None,
    }
