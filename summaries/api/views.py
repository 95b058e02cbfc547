from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.schemas import MessageText
from relationships.api.views import ApiView
from summaries.editing import edit_summary, get_summary
from summaries.models import Summary, SummaryState
from summaries.owed import ask_for_summary
from web.fields import DIGITS, Answer, Body, Page, PageQuery, Query
from web.operations import operation

TAG = "Summaries"


class SummaryListQuery(PageQuery):
    messages: Annotated[int, Field(ge=1), DIGITS] | None = None
    """Only versions of the summary of this many messages."""
    state: SummaryState | None = None
    hidden: bool = False
    """Include hidden summaries. `state=hidden` lists them, too."""


class SummaryQuery(Query):
    hidden: bool = False
    """Include the text even if the summary is hidden."""


class SummaryBody(Body):
    text: MessageText


class SummaryAnswer(Answer):
    id: UUID
    messages: int
    """How many messages it covers, from the relationship's first."""
    version: int
    """The version of the summary of this many messages. A version's text never changes."""
    first_seq: int
    last_seq: int
    state: SummaryState
    """pending and working: in progress; ready; failed: see `error`; hidden: an entry that rests on a message it covers
    was deleted, so it is no longer shown; erased: a message it covers was erased, so its text was erased, too.
    """
    text: str
    extends: UUID | None
    """The version that it extends with the messages since."""
    model_calls: list[UUID]
    by: str
    """Who asked for it or wrote it: the kind of actor, and its name."""
    error_code: str | None
    error: str | None
    attempts: int
    recorded_at: datetime
    made_at: datetime | None
    erased_at: datetime | None


class SummariesView(ApiView):
    open_to_tokens = ("GET",)

    @operation(
        "summaries_list",
        "List the summaries of the conversation, newest first",
        answers={200: Page[SummaryAnswer]},
    )
    def get(self, request: Request, relationship_id: UUID, query: SummaryListQuery) -> Response:
        """All versions that are not hidden, including those in progress. Contexts show the first `ready` one in the
        layer `summary`, unless one is being remade.
        """
        rows = self.owned(Summary, relationship_id).filter(**query.given("messages", "state"))
        if not query.hidden and query.state is None:
            rows = rows.exclude(state=SummaryState.HIDDEN)
        return self.page(rows, present_summary, order=["-messages", "-version"], query=query)

    @operation(
        "summaries_make", "Summarise the conversation now", answers={202: SummaryAnswer}, problems=(409,)
    )
    def post(self, request: Request, relationship_id: UUID) -> Response:
        """A worker summarises all messages so far. If such a summary exists already, it is returned."""
        relationship = self.get_relationship(relationship_id, "companion", "project")
        summary = ask_for_summary(relationship=relationship, by=self.actor)
        return self.answer(present_summary(summary), status=202)


class SummaryView(ApiView):
    open_to_tokens = ("GET",)

    @operation("summaries_read", "Read a summary", answers={200: SummaryAnswer})
    def get(self, request: Request, relationship_id: UUID, summary_id: UUID, query: SummaryQuery) -> Response:
        self.get_relationship(relationship_id)
        summary = get_summary(relationship_id, summary_id)
        if summary.state == SummaryState.HIDDEN and not query.hidden:
            summary.text = summary.error = ""
        return self.answer(present_summary(summary))

    @operation("summaries_edit", "Rewrite a summary", answers={201: SummaryAnswer}, problems=(409,))
    def put(self, request: Request, relationship_id: UUID, summary_id: UUID, body: SummaryBody) -> Response:
        """Writes the next version, which the next summary will extend. Earlier versions stay."""
        relationship = self.get_relationship(relationship_id)
        edited = edit_summary(relationship=relationship, summary_id=summary_id, text=body.text, by=self.actor)
        return self.answer(present_summary(edited), status=201)


def present_summary(summary: Summary) -> dict[str, Any]:
    return SummaryAnswer.of(
        summary,
        model_calls=summary.model_call_ids,
        by=f"{summary.actor_kind} {summary.actor_id}".strip(),
        error_code=summary.error_code or None,
        error=summary.error or None,
    )
