"""Every turn of a project that is waiting, being read, or failed; and the way to bring one or all back."""

from uuid import UUID

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from admin_ui.access import OperatorView
from admin_ui.paging import page_of
from admin_ui.params import parse_uuid, text_param
from memory.ingestion.intake import retry_turn
from relationships.models import Companion, Message, Relationship, Turn, TurnState
from web.errors import RapportError

NONE_OF = {  # the states there are pages of, and what to say where there is no such turn
    TurnState.FAILED: "No failed turns.",
    TurnState.PENDING: "No waiting turns.",
    TurnState.PROCESSING: "No turns are being processed.",
    TurnState.SKIPPED: "No skipped turns.",
}
STATES = tuple(NONE_OF)
RETRIED_AT_ONCE = 200


class TurnsView(OperatorView):
    def get(self, request: HttpRequest) -> HttpResponse:
        page = page_of(request, self._turns(request).order_by("-recorded_at", "-id"))
        people = {
            row.id: row
            for row in Relationship.objects.filter(
                id__in={turn.relationship_id for turn in page.rows}
            ).select_related("user", "companion")
        }
        first_words = {
            (row.relationship_id, row.turn_id): row.content
            for row in Message.objects.filter(
                relationship_id__in=list(people), turn_id__in=[turn.id for turn in page.rows]
            ).order_by("-seq")
        }
        rows = [
            {
                "turn": turn,
                "relationship": people[turn.relationship_id],
                "says": first_words.get((turn.relationship_id, turn.id), ""),
            }
            for turn in page.rows
            if turn.relationship_id in people
        ]
        ctx = {
            "page": page,
            "rows": rows,
            "states": STATES,
            "state": self._state(request),
            "none": NONE_OF[self._state(request)],
            "reason": request.GET.get("reason", ""),
            "companions": Companion.objects.of_project(self.access.project.id).order_by("name")[:200],
            "companion": request.GET.get("companion", ""),
        }
        return render(request, "admin_ui/turns/list.html", ctx)

    def post(self, request: HttpRequest) -> HttpResponse:
        """Retry all that failed and fit the filters in the address, so many at once."""
        retried = 0
        failed = self._turns(request).filter(state=TurnState.FAILED)
        for turn in failed.order_by("recorded_at", "id")[:RETRIED_AT_ONCE]:
            try:
                retry_turn(relationship_id=turn.relationship_id, turn_id=turn.id)
                retried += 1
            except RapportError:
                continue  # somebody retried or erased it meanwhile
        messages.success(request, f"Retrying {retried} turn{'' if retried == 1 else 's'}.")
        return redirect("admin_ui:turns")

    def _turns(self, request: HttpRequest) -> QuerySet[Turn]:
        rows = Turn.objects.filter(project_id=self.access.project.id, state=self._state(request))
        companion = parse_uuid(request.GET.get("companion", ""))
        if companion:
            rows = rows.filter(relationship__companion_id=companion)
        reason = text_param(request.GET, "reason")
        return rows.filter(error_code__icontains=reason) if reason else rows

    def _state(self, request: HttpRequest) -> TurnState:
        state = request.GET.get("state", TurnState.FAILED)
        return TurnState(state) if state in STATES else TurnState.FAILED


class RetryTurnView(OperatorView):
    def post(self, request: HttpRequest, relationship_id: UUID, turn_id: UUID) -> HttpResponse:
        self.get_relationship(relationship_id)
        retry_turn(relationship_id=relationship_id, turn_id=turn_id)
        messages.success(request, "Retrying the turn.")
        if request.POST.get("back") == "turns":
            return redirect("admin_ui:turns")
        return redirect("admin_ui:relationship_trace", relationship_id, turn_id)
