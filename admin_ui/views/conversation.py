"""What was said, what each turn changed, and how it came to that."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from admin_ui.conversation import (
    calls_of,
    exchanges_of,
    found_lines,
    operations_of,
    times_of,
    turn_between,
)
from admin_ui.params import text_param
from admin_ui.turn_window import seq_of, sessions_of, window_of
from admin_ui.views.scratchpad import RelationshipPart
from memory.mending.candidates import language_in
from memory.models import OperationResult
from relationships.models import TurnState
from relationships.services.configuration import configuration_of
from web.errors import NotFound

MORE = ("earlier", "later")  # the IDs of the links that bring more turns in place of themselves
FOUND_A_PAGE = 30


class ConversationView(RelationshipPart):
    tab = "conversation"

    def get(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        relationship = self.get_relationship(relationship_id)
        # Whoever names a time or a session has read what was found.
        goes_on = bool(request.GET.get("at") or request.GET.get("session"))
        sought = "" if goes_on else text_param(request.GET, "q", limit=200)
        htmx = getattr(request, "htmx", None)
        more = htmx.target if htmx and htmx.target in MORE else ""
        ctx: dict[str, Any] = {"relationship": relationship, "q": sought, "more": more}
        if sought:
            before = seq_of(request.GET.get("before", ""))
            retrieval = configuration_of(relationship).values.retrieval
            language = language_in(retrieval.spoken_in(relationship.language))
            found, older = found_lines(
                relationship_id, sought, before=before, limit=FOUND_A_PAGE, language=language
            )
            ctx |= {"found": found, "older": older}
        else:
            window = window_of(relationship_id, request.GET)
            ctx |= {"window": window, "exchanges": exchanges_of(relationship_id, window.turns)}
        if more:
            return render(request, "admin_ui/conversation/_turns.html", ctx)
        ctx |= {**self.ctx_of(relationship), "sessions": sessions_of(relationship_id)}
        return render(request, "admin_ui/conversation/list.html", ctx)


class TraceView(RelationshipPart):
    tab = "conversation"

    def get(self, request: HttpRequest, relationship_id: UUID, turn_id: UUID) -> HttpResponse:
        relationship = self.get_relationship(relationship_id)
        found = turn_between(relationship_id, turn_id)
        if found is None:
            raise NotFound("This turn does not exist.")
        turn, neighbours = found
        (exchange,) = exchanges_of(relationship_id, [turn])
        calls, call_count = calls_of(turn)
        results = OperationResult.objects.for_relationship(relationship_id).of_turn(turn_id)
        ctx = {
            **self.ctx_of(relationship),
            "exchange": exchange,
            "turn": turn,
            "times": times_of(turn),
            "neighbours": neighbours,
            "operations": operations_of(results, calls),
            "calls": calls,
            "call_count": call_count,
            "first_call": call_count - len(calls) + 1,
            "unsettled": turn.state in (TurnState.PENDING, TurnState.PROCESSING),
        }
        return render(request, "admin_ui/conversation/trace.html", ctx)
