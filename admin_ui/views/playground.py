"""Chatting with a companion as a test user, next to what it remembers."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect

from admin_ui.access import OperatorView
from admin_ui.conversation import exchanges_of
from admin_ui.names import companions_named
from admin_ui.paging import page_of
from admin_ui.params import text_param
from admin_ui.turns import WAITING
from admin_ui.words import sentence_of
from chat.answering import Answering, here, in_database_threads
from chat.identity import Talk
from chat.messages import read_messages
from chat.requests import ask
from chat.wire import Envelope
from memory.models import ScratchpadEntry
from relationships.models import Role, Turn
from relationships.services.limits import message_fault
from web.deferred import LaterResponse, can_wait
from web.errors import InvalidInput, RapportError
from web.streams import STREAM, event_stream

SESSION = "playground"
TURNS_SHOWN, ENTRIES_SHOWN = 20, 100


class PlaygroundView(OperatorView):
    """Chooses a companion. Each operator has a test user of their own."""

    def get(self, request: HttpRequest) -> HttpResponse:
        rows = companions_named(request, self.project_id)
        return self.show("playground/list", page=page_of(request, rows.order_by("name", "id")))

    def post(self, request: HttpRequest) -> HttpResponse:
        relationship = self.test_relationship(text_param(request.POST, "companion"))
        return redirect("admin_ui:playground_talk", relationship.id)


class TalkView(OperatorView):
    """The chat. A message is answered in its own request, like at the chat endpoint.

    It may be with any person of the project, by the page's address; then the page says so.
    """

    needs = Role.EDITOR  # messages are remembered

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page()

    def post(self, request: HttpRequest) -> HttpResponseBase:
        """Stream the reply if JavaScript asks for a stream, else return the page with the reply."""
        message = request.POST.get("message", "").replace("\r\n", "\n")
        waits = can_wait(request)
        in_database = in_database_threads if waits else here

        def page(**more: Any) -> HttpResponse:
            shown: HttpResponse = in_database(lambda: self._page(**more))
            return shown

        def answer() -> HttpResponseBase:
            try:
                if STREAM in request.headers.get("Accept", ""):
                    events = answering.stream(answering.begin())
                    return event_stream(events)
                answering.whole()
            except RapportError as error:
                return page(why=sentence_of(error), message=message)
            # without JavaScript: a page that is reloaded must not say it again
            return page() if self.htmx else redirect("admin_ui:playground_talk", self.relationship.id)

        try:
            answering = self._answering(message, in_database)
        except RapportError as error:
            return page(why=sentence_of(error), message=message)
        return LaterResponse(answer) if waits else answer()

    def _answering(self, message: str, in_database: Any) -> Answering:
        """Raises InvalidInput, BudgetSpent."""
        if fault := message_fault(message):
            raise InvalidInput.of("message", fault)
        talk = Talk(self.relationship, SESSION, remembered=True)
        question = ask(talk, read_messages([{"role": "user", "content": message}]), by=self.actor)
        return Answering(question, Envelope(self.relationship.companion.slug), in_database=in_database)

    def _page(self, **more: Any) -> HttpResponse:
        owner = self.relationship.id
        turns = Turn.objects.for_relationship(owner).filter(session=SESSION).order_by("-seq")
        exchanges = exchanges_of(owner, list(reversed(turns[:TURNS_SHOWN])))
        entries = ScratchpadEntry.objects.for_relationship(owner).active().newest_first()
        changed = {change.entry_id for change in exchanges[-1].changes} if exchanges else set()
        return self.show_or_part(
            "playground/detail",
            "playground/_talk",
            target="talk",
            is_own=self.relationship.user.external_id == self.test_user,
            exchanges=exchanges,
            waits=any(exchange.turn.state in WAITING for exchange in exchanges),
            entries=[(entry, entry.id in changed) for entry in entries[:ENTRIES_SHOWN]],
            **more,
        )
