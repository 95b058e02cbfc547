"""What was said, what each turn changed, and how it came to that."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.template.defaultfilters import truncatechars

from admin_ui.access import OperatorView
from admin_ui.conversation import calls_of, exchanges_of, found_lines, operations_of, turn_between
from admin_ui.params import text_param
from admin_ui.turn_window import seq_of, sessions_of, window_of
from admin_ui.turns import WAITING
from memory.mending.candidates import language_in
from memory.models import OperationResult
from relationships.services.configuration import configuration_of
from web.errors import NotFound

MORE = ("earlier", "later")  # the IDs of the links that bring more turns in place of themselves
FOUND_A_PAGE = 30


class ConversationView(OperatorView):
    tab = "conversation"

    def get(self, request: HttpRequest) -> HttpResponse:
        # Whoever names a time or a session has read what was found.
        goes_on = bool(request.GET.get("at") or request.GET.get("session"))
        sought = "" if goes_on else text_param(request.GET, "q", limit=200)
        more = self.htmx.target if self.htmx.target in MORE else ""
        ctx: dict[str, Any] = {"q": sought, "more": more}
        if sought:
            retrieval = configuration_of(self.relationship).values.retrieval
            ctx["found"], ctx["older"] = found_lines(
                self.relationship.id,
                sought,
                before=seq_of(request.GET.get("before", "")),
                limit=FOUND_A_PAGE,
                language=language_in(retrieval.spoken_in(self.relationship.language)),
            )
        else:
            window = window_of(self.relationship.id, request.GET)
            ctx |= {"window": window, "exchanges": exchanges_of(self.relationship.id, window.turns)}
        if more:
            return self.show("conversation/_turns", **ctx)
        sessions = [
            (
                row["session"],
                f"{truncatechars(row['session'], 40)}, {row['first']:%-d %b %Y} ({row['turns']})",
            )
            for row in sessions_of(self.relationship.id)
        ]
        return self.show("conversation/list", sessions=sessions, **ctx)


class TraceView(OperatorView):
    tab = "conversation"

    def get(self, request: HttpRequest, turn_id: UUID) -> HttpResponse:
        found = turn_between(self.relationship.id, turn_id)
        if found is None:
            raise NotFound("This turn does not exist.")
        turn, neighbours = found
        (exchange,) = exchanges_of(self.relationship.id, [turn])
        calls, call_count = calls_of(turn)
        results = OperationResult.objects.for_relationship(self.relationship.id).of_turn(turn_id)
        return self.show(
            "conversation/trace",
            exchange=exchange,
            turn=turn,
            neighbours=neighbours,
            operations=operations_of(results, calls, exchange.changes),
            calls=calls,
            call_count=call_count,
            first_call=call_count - len(calls) + 1,
            unsettled=turn.state in WAITING,
        )
