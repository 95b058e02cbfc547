"""A relationship's conversation with a search, and the details of a turn."""

from operator import itemgetter
from typing import Any
from uuid import UUID

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.template.defaultfilters import truncatechars
from django.utils import timezone

from admin_ui.access import OperatorView, RelationshipAction
from admin_ui.conversation import (
    MOST_CHANGES,
    EntryChange,
    calls_of,
    changes_of,
    exchanges_of,
    find_messages,
    operations_of,
    turn_with_neighbours,
)
from admin_ui.paging import page_of
from admin_ui.params import text_param
from admin_ui.turn_window import seq_of, sessions_of, window_of
from admin_ui.turns import WAITING
from memory.mending.candidates import language_in
from memory.models import OperationResult
from relationships.services.configuration import configuration_of
from relationships.services.hiding import hide_messages, show_messages
from relationships.services.sequence import lock_relationship
from web.errors import NotFound

MORE = ("earlier", "later")  # IDs of the links that htmx replaces by more turns
FOUND_A_PAGE = 30


class ConversationView(OperatorView):
    tab = "conversation"

    def get(self, request: HttpRequest) -> HttpResponse:
        # the form sends the query with a date or session, too; those end the search
        jumps = bool(request.GET.get("at") or request.GET.get("session"))
        query = "" if jumps else text_param(request.GET, "q", limit=200)
        more = self.htmx.target if self.htmx.target in MORE else ""
        ctx: dict[str, Any] = {"q": query, "more": more}
        if query:
            retrieval = configuration_of(self.relationship).values.retrieval
            ctx["found"], ctx["older"] = find_messages(
                self.relationship.id,
                query,
                before=seq_of(request.GET.get("before", "")),
                limit=FOUND_A_PAGE,
                language=language_in(retrieval.spoken_in(self.relationship.language)),
            )
        else:
            window = window_of(self.relationship.id, request.GET)
            ctx |= {"window": window, "exchanges": exchanges_of(self.relationship.id, window.turns)}
        if more:
            return self.show("conversation/_turns", **ctx)
        columns = map(itemgetter("session", "first", "turns"), sessions_of(self.relationship.id))
        sessions = [
            (name, f"{truncatechars(name, 40)}, {first:%-d %b %Y} ({turns})")
            for name, first, turns in columns
        ]
        return self.show("conversation/list", sessions=sessions, **ctx)


class TraceView(OperatorView):
    tab = "conversation"

    def get(self, request: HttpRequest, turn_id: UUID) -> HttpResponse:
        found = turn_with_neighbours(self.relationship.id, turn_id)
        if found is None:
            raise NotFound("This turn does not exist.")
        turn, neighbours = found
        (exchange,) = exchanges_of(self.relationship.id, [turn])
        changes = None
        if exchange.more_changes:
            rows = changes_of(self.relationship.id, [turn_id])
            changes = page_of(request, rows, size=MOST_CHANGES, name="changes")
            exchange.changes = [EntryChange.of(revision) for revision in changes.rows]
        calls, call_count = calls_of(turn)
        page = page_of(
            request, OperationResult.objects.for_relationship(self.relationship.id).of_turn(turn_id)
        )
        return self.show(
            "conversation/trace",
            exchange=exchange,
            turn=turn,
            neighbours=neighbours,
            changes=changes,
            page=page,
            operations=operations_of(page.rows, calls),
            calls=calls,
            call_count=call_count,
            first_call=call_count - len(calls) + 1,
            unsettled=turn.state in WAITING,
        )


class HideMessageView(RelationshipAction):
    """Hides a message, or shows it again."""

    def post(self, request: HttpRequest, message_id: UUID) -> HttpResponse:
        hides = request.POST.get("do") != "show"
        write = hide_messages if hides else show_messages
        relationship_id = self.relationship.id
        with transaction.atomic():
            lock_relationship(relationship_id)
            write(relationship_id=relationship_id, message_ids=[message_id], now=timezone.now())
        return self.redirect_back("Message hidden." if hides else "Message shown again.")
