"""Talking to a companion as a test user, beside what it makes of that."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect, render

from admin_ui.access import OperatorView, render_page_or_part
from admin_ui.conversation import exchanges_of
from admin_ui.names import companions_called
from admin_ui.paging import page_of
from admin_ui.params import text_param
from admin_ui.views.scratchpad import RelationshipPart
from admin_ui.words import sentence_of
from chat.answering import Answering, here, in_database_threads
from chat.asking import ask
from chat.identity import Talk
from chat.messages import read_messages
from chat.wire import Envelope
from memory.models import ScratchpadEntry
from relationships.models import Companion, Relationship, Role, Turn, TurnState
from relationships.services.limits import message_fault
from relationships.services.relationships import get_or_create_relationship
from web.errors import InvalidInput, RapportError
from web.later import LaterResponse, can_wait

SESSION, STREAM = "playground", "text/event-stream"
TURNS_SHOWN, ENTRIES_SHOWN = 20, 100


class PlaygroundView(OperatorView):
    """Whom to talk to. Each operator has a test user of their own with each companion."""

    def get(self, request: HttpRequest) -> HttpResponse:
        rows = companions_called(request, Companion.objects.of_project(self.access.project.id))
        page = page_of(request, rows.order_by("name", "id"))
        return render(request, "admin_ui/playground/list.html", {"page": page, "companions": page.rows})

    def post(self, request: HttpRequest) -> HttpResponse:
        relationship, _ = get_or_create_relationship(
            project_id=self.access.project.id,
            companion=text_param(request.POST, "companion"),
            user=f"playground:{self.access.operator.email}"[:200],
            display_name="Test user",
            by=self.access.actor,
        )
        return redirect("admin_ui:playground_talk", relationship.id)


class TalkView(RelationshipPart):
    """The talk. A message is answered in the request that brings it, as the chat endpoint answers."""

    needs = Role.EDITOR  # it changes what is remembered

    def get(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        return self._page(request, self.get_relationship(relationship_id))

    def post(self, request: HttpRequest, relationship_id: UUID) -> HttpResponseBase:
        """With a script the reply is streamed, as the chat endpoint does; without, the page comes with it."""
        relationship = self.get_relationship(relationship_id)
        message = request.POST.get("message", "").replace("\r\n", "\n")
        waits = can_wait(request)
        in_database = in_database_threads if waits else here

        def refused(error: RapportError) -> HttpResponse:
            page: HttpResponse = in_database(
                lambda: self._page(request, relationship, why=sentence_of(error), message=message)
            )
            return page

        try:
            answering = self._answering(relationship, message, in_database)
        except RapportError as error:
            return refused(error)

        def answer() -> HttpResponseBase:
            try:
                if STREAM in request.headers.get("Accept", ""):
                    events = answering.stream(answering.begin())
                    return StreamingHttpResponse(events, content_type=STREAM)
                answering.whole()
            except RapportError as error:
                return refused(error)
            page: HttpResponse = in_database(lambda: self._page(request, relationship))
            return page

        return LaterResponse(answer) if waits else answer()

    def _answering(self, relationship: Relationship, message: str, in_database: Any) -> Answering:
        """Raises InvalidInput, BudgetSpent."""
        if fault := message_fault(message):
            raise InvalidInput.of("message", fault)
        talk = Talk(relationship, SESSION, remembered=True)
        sent = read_messages([{"role": "user", "content": message}])
        question = ask(talk, sent, by=self.access.actor)
        return Answering(question, Envelope(relationship.companion.slug), in_database=in_database)

    def _page(self, request: HttpRequest, relationship: Relationship, **more: Any) -> HttpResponse:
        turns = Turn.objects.for_relationship(relationship.id).filter(session=SESSION).order_by("-seq")
        exchanges = exchanges_of(relationship.id, list(reversed(turns[:TURNS_SHOWN])))
        entries = ScratchpadEntry.objects.for_relationship(relationship.id).active().newest_first()
        changed = {change.entry_id for change in exchanges[-1].changes} if exchanges else set()
        ctx: dict[str, Any] = {
            **self.ctx_of(relationship),
            "exchanges": exchanges,
            "waits": any(
                exchange.turn.state in (TurnState.PENDING, TurnState.PROCESSING) for exchange in exchanges
            ),
            "entries": [(entry, entry.id in changed) for entry in entries[:ENTRIES_SHOWN]],
            **more,
        }
        return render_page_or_part(request, "playground/detail", "playground/_talk", ctx, target="talk")
