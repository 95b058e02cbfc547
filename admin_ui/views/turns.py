"""Every turn of a project, newest first, and the way to bring one or all that failed back."""

from uuid import UUID

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from admin_ui.access import OperatorView
from admin_ui.names import is_called
from admin_ui.paging import page_of
from admin_ui.params import parse_uuid, text_param
from admin_ui.turns import WAITING, rows_of
from memory.ingestion.intake import retry_turn
from relationships.models import Companion, Turn, TurnState
from web.errors import RapportError

NONE_OF = {  # what to say where there is no such turn
    "": "No turns yet.",
    TurnState.APPLIED: "No applied turns.",
    TurnState.FAILED: "No failed turns.",
    TurnState.PENDING: "No waiting turns.",
    TurnState.PROCESSING: "No turns are being processed.",
    TurnState.SKIPPED: "No skipped turns.",
}
RETRIED_AT_ONCE = 200
ORDERS = {"": ("newest first", ("-recorded_at", "-id")), "old": ("oldest first", ("recorded_at", "id"))}


class TurnsView(OperatorView):
    def get(self, request: HttpRequest) -> HttpResponse:
        state = self._state(request)
        order = request.GET.get("order", "") if request.GET.get("order") in ORDERS else ""
        page = page_of(request, self._turns(request).order_by(*ORDERS[order][1]))
        rows = rows_of(page.rows)
        filters = {name: text_param(request.GET, name) for name in ("reason", "person", "companion")}
        ctx = {
            "page": page,
            "rows": rows,
            "states": [(name, name.capitalize() or "All") for name in map(str, NONE_OF)],
            "state": state,
            "order": order,
            "orders": [(name, label) for name, (label, _) in ORDERS.items()],
            "none": NONE_OF[state],
            "filters": filters,
            "filtered": any(filters.values()),
            "unsettled": page.number == 1 and any(row.turn.state in WAITING for row in rows),
            "companions": Companion.objects.of_project(self.access.project.id).order_by("name")[:200],
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
        rows = Turn.objects.filter(project_id=self.access.project.id)
        if state := self._state(request):
            rows = rows.filter(state=state)
        if companion := parse_uuid(request.GET.get("companion", "")):
            rows = rows.filter(relationship__companion_id=companion)
        if person := text_param(request.GET, "person", limit=200):
            of_person = (f"relationship__user__{name}" for name in ("display_name", "external_id"))
            rows = rows.filter(is_called(person, *of_person))
        reason = text_param(request.GET, "reason")
        return rows.filter(error_code__icontains=reason) if reason else rows

    def _state(self, request: HttpRequest) -> str:
        state = request.GET.get("state", "")
        return state if state in NONE_OF else ""


class RetryTurnView(OperatorView):
    def post(self, request: HttpRequest, relationship_id: UUID, turn_id: UUID) -> HttpResponse:
        self.get_relationship(relationship_id)
        retry_turn(relationship_id=relationship_id, turn_id=turn_id)
        messages.success(request, "Retrying the turn.")
        if request.POST.get("back") == "turns":
            return redirect("admin_ui:turns")
        return redirect("admin_ui:relationship_trace", relationship_id, turn_id)
