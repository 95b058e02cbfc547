"""Every turn of a project, newest first, and the way to bring one or all that failed back."""

from datetime import timedelta
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import BooleanField, F, Func, OrderBy, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from admin_ui.access import OperatorView, way_back
from admin_ui.excerpts import excerpt_of
from admin_ui.names import companions_listed, is_called
from admin_ui.paging import Page, Sort, page_of
from admin_ui.params import parse_uuid, text_param
from admin_ui.turns import NEWEST_FIRST, WAITING, rows_of, turns_with
from admin_ui.words import codes_called, in_words
from memory.ingestion.intake import retry_turn
from memory.models import ModelCall
from relationships.models import Companion, Turn, TurnState
from web.errors import RapportError

NONE_OF = {  # what to say where there is no such turn
    "": "No turns yet.",
    TurnState.APPLIED: "No processed turns.",
    TurnState.FAILED: "No failed turns.",
    TurnState.PENDING: "No waiting turns.",
    TurnState.PROCESSING: "No turns are being processed.",
    TurnState.SKIPPED: "No skipped turns.",
}
RETRIED_AT_ONCE = 200


def _of_calls(figure: Sum) -> OrderBy:
    """A sum over the questions to models that a turn was read by."""
    is_of_it = Func(
        "id",
        OuterRef("model_call_ids"),
        template="%(expressions)s)",
        arg_joiner=" = ANY(",
        output_field=BooleanField(),
    )
    calls = ModelCall.objects.filter(is_of_it, relationship_id=OuterRef("relationship_id"))
    summed = calls.order_by().values("relationship_id").annotate(figure=figure).values("figure")
    return Subquery(summed).asc(nulls_first=True)


SORT = Sort(
    {
        "received": ("recorded_at", "id"),
        "time": (Coalesce(F("settled_at") - F("recorded_at"), timedelta()), *NEWEST_FIRST),
        "tokens": (_of_calls(Sum(F("prompt_tokens") + F("output_tokens"))), *NEWEST_FIRST),
        "cost": (_of_calls(Sum("cost")), *NEWEST_FIRST),
    },
    usual="-received",
    bounded=("time", "tokens", "cost"),
    newest=NEWEST_FIRST,
)


class TurnsView(OperatorView):
    def get(self, request: HttpRequest) -> HttpResponse:
        state, text = _state(request), text_param(request.GET, "text", limit=200)
        page, lines = self._page_with(text) if text else (page_of(request, self._turns(), sort=SORT), {})
        rows = rows_of(page.rows)
        for row in rows:
            row.excerpt = excerpt_of(lines[row.turn.id], text, before=24) if text else None
        filters = {name: text_param(request.GET, name) for name in ("text", "reason", "person", "companion")}
        kept = {**filters, "order": request.GET.get("order", "")}
        return self.show(
            "turns/list",
            page=page,
            rows=rows,
            states=[(name, in_words(name).capitalize() or "All") for name in map(str, NONE_OF)],
            state=state,
            none=NONE_OF[state],
            filters=filters,
            kept=urlencode({name: value for name, value in kept.items() if value}),
            retries=self.access.can_edit and any(row.turn.state == TurnState.FAILED for row in rows),
            filtered=any(filters.values()),
            unsettled=page.number == 1 and not text and any(row.turn.state in WAITING for row in rows),
            companions=companions_listed(request, Companion.objects.of_project(self.project_id)),
        )

    def post(self, request: HttpRequest) -> HttpResponse:
        """Retry all that failed and fit the filters in the address, so many at once."""
        failed, retried = self._turns().filter(state=TurnState.FAILED), 0
        if text := text_param(request.GET, "text", limit=200):
            found, _, _ = turns_with(failed, text, before=None)
        else:
            found = list(failed.order_by("recorded_at", "id")[:RETRIED_AT_ONCE])
        for turn in found:
            try:
                retry_turn(relationship_id=turn.relationship_id, turn_id=turn.id)
                retried += 1
            except RapportError:
                continue  # somebody retried or erased it meanwhile
        return self.done(f"Retrying {retried} turn{'' if retried == 1 else 's'}.", "admin_ui:turns")

    def _page_with(self, text: str) -> tuple[Page, dict[UUID, str]]:
        """Those in which it was said, of as many as one page looks through, and what was said, by turn. ?before= is the
        turn to go on behind.
        """
        params = self.request.GET
        project = Turn.objects.filter(project_id=self.project_id)
        before = project.filter(id=parse_uuid(params.get("before", ""))).first()
        found, lines, last = turns_with(self._turns(), text, before=before)
        later = f"?{urlencode({**params.dict(), 'before': last.id})}" if last else None
        return Page(found, number=1, earlier=None, later=later, order=SORT.usual), lines

    def _turns(self) -> QuerySet[Turn]:
        params = self.request.GET
        rows = Turn.objects.filter(project_id=self.project_id)
        if state := _state(self.request):
            rows = rows.filter(state=state)
        if companion := parse_uuid(params.get("companion", "")):
            rows = rows.filter(relationship__companion_id=companion)
        if person := text_param(params, "person", limit=200):
            of_person = (f"relationship__user__{name}" for name in ("display_name", "external_id"))
            rows = rows.filter(is_called(person, *of_person))
        if reason := text_param(params, "reason"):  # which no applied turn has
            settled, waits = Q(state__in=[TurnState.FAILED, TurnState.SKIPPED]), Q(state__in=WAITING)
            rows = rows.filter(
                settled | waits,
                Q(error_code__icontains=reason.replace(" ", "_")) | Q(error_code__in=codes_called(reason)),
            )
        return rows


def _state(request: HttpRequest) -> str:
    state = request.GET.get("state", "")
    return state if state in NONE_OF else ""


class RetryTurnView(OperatorView):
    def post(self, request: HttpRequest, turn_id: UUID) -> HttpResponse:
        retry_turn(relationship_id=self.relationship.id, turn_id=turn_id)
        trace = reverse("admin_ui:relationship_trace", args=[self.relationship.id, turn_id])
        return self.done("Retrying the turn.", way_back(request) or trace)
