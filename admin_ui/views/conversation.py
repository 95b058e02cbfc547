"""What was said, what each turn changed, and how it came to that."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from admin_ui.conversation import calls_of, exchanges_of, neighbours_of, operations_of, times_of
from admin_ui.paging import page_of
from admin_ui.params import text_param
from admin_ui.views.scratchpad import RelationshipPart
from memory.models import OperationResult
from relationships.models import Turn, TurnState
from web.errors import NotFound

TURNS_A_PAGE = 20


class ConversationView(RelationshipPart):
    tab = "conversation"

    def get(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        relationship = self.get_relationship(relationship_id)
        turns = Turn.objects.for_relationship(relationship_id).order_by("-seq")
        session = text_param(request.GET, "session")
        if session:
            turns = turns.filter(session=session)
        page = page_of(request, turns, size=TURNS_A_PAGE)
        ctx = {
            **self.ctx_of(relationship),
            "page": page,
            "exchanges": exchanges_of(relationship_id, list(reversed(page.rows))),
            "session": session,
        }
        return render(request, "admin_ui/conversation/list.html", ctx)


class TraceView(RelationshipPart):
    tab = "conversation"

    def get(self, request: HttpRequest, relationship_id: UUID, turn_id: UUID) -> HttpResponse:
        relationship = self.get_relationship(relationship_id)
        turn = Turn.objects.for_relationship(relationship_id).filter(id=turn_id).first()
        if turn is None:
            raise NotFound("This turn does not exist.")
        (exchange,) = exchanges_of(relationship_id, [turn])
        calls = calls_of(turn)
        results = OperationResult.objects.for_relationship(relationship_id).of_turn(turn_id)
        ctx = {
            **self.ctx_of(relationship),
            "exchange": exchange,
            "turn": turn,
            "times": times_of(turn),
            "neighbours": neighbours_of(turn),
            "operations": operations_of(results, calls),
            "calls": calls,
            "unsettled": turn.state in (TurnState.PENDING, TurnState.PROCESSING),
        }
        return render(request, "admin_ui/conversation/trace.html", ctx)
