"""The turns of a project, with filters, and retrying failed ones."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import BooleanField, F, Func, OrderBy, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from admin_ui.access import OperatorView, return_path
from admin_ui.excerpts import excerpt_of
from admin_ui.names import companion_options, name_matches
from admin_ui.paging import Page, Sort, page_of
from admin_ui.params import parse_uuid, text_param
from admin_ui.turns import NEWEST_FIRST, WAITING, search_turns, turn_rows
from admin_ui.words import codes_with, counted, in_words
from memory.ingestion.intake import retry_turn
from memory.models import ModelCall
from relationships.models import Turn, TurnState
from web.errors import RapportError

EMPTY_TEXTS = {  # for lists without turns, by state
    "": "No turns yet.",
    TurnState.APPLIED: "No processed turns.",
    TurnState.FAILED: "No failed turns.",
    TurnState.PENDING: "No waiting turns.",
    TurnState.PROCESSING: "No turns are being processed.",
    TurnState.SKIPPED: "No skipped turns.",
}
RETRIED_AT_ONCE = 200


def _sum_of_calls(column: Any) -> OrderBy:
    """Order by the sum of a column of the turn's model calls."""
    is_in_turn = Func(
        "id",
        OuterRef("model_call_ids"),
        template="%(expressions)s)",
        arg_joiner=" = ANY(",
        output_field=BooleanField(),
    )
    calls = ModelCall.objects.filter(is_in_turn, relationship_id=OuterRef("relationship_id"))
    sums = calls.order_by().values("relationship_id").annotate(sum=Sum(column)).values("sum")
    return Subquery(sums).asc(nulls_first=True)


SORT = Sort(
    {
        "received": ("recorded_at", "id"),
        "time": (Coalesce(F("settled_at") - F("recorded_at"), timedelta()), *NEWEST_FIRST),
        "tokens": (_sum_of_calls(F("prompt_tokens") + F("output_tokens")), *NEWEST_FIRST),
        "cost": (_sum_of_calls("cost"), *NEWEST_FIRST),
    },
    default="-received",
    bounded=("time", "tokens", "cost"),
    newest=NEWEST_FIRST,
)


class TurnsView(OperatorView):
    def get(self, request: HttpRequest) -> HttpResponse:
        state, text = _state(request), text_param(request.GET, "text", limit=200)
        page, texts = self._search(text) if text else (page_of(request, self._turns(), sort=SORT), {})
        rows = turn_rows(page.rows)
        for row in rows:
            row.excerpt = excerpt_of(texts[row.turn.id], text, before=24) if text else None
        filters = {name: text_param(request.GET, name) for name in ("text", "reason", "person", "companion")}
        query = {**filters, "order": request.GET.get("order", "")}
        return self.show(
            "turns/list",
            page=page,
            rows=rows,
            states=[(name, in_words(name).capitalize() or "All") for name in map(str, EMPTY_TEXTS)],
            state=state,
            empty_text=EMPTY_TEXTS[state],
            filters=filters,
            filter_query=urlencode({name: value for name, value in query.items() if value}),
            can_retry=self.access.can_edit and any(row.turn.state == TurnState.FAILED for row in rows),
            filtered=any(filters.values()),
            unsettled=page.number == 1 and not text and any(row.turn.state in WAITING for row in rows),
            companions=companion_options(request, self.project_id),
        )

    def post(self, request: HttpRequest) -> HttpResponse:
        """Retry failed turns that match the URL's filters: the oldest RETRIED_AT_ONCE, or a page of a search."""
        failed, retried = self._turns().filter(state=TurnState.FAILED), 0
        if text := text_param(request.GET, "text", limit=200):
            found, _, _ = search_turns(failed, text, before=None)
        else:
            found = list(failed.order_by("recorded_at", "id")[:RETRIED_AT_ONCE])
        for turn in found:
            try:
                retry_turn(relationship_id=turn.relationship_id, turn_id=turn.id)
                retried += 1
            except RapportError:
                continue  # it was retried or erased meanwhile
        return self.redirect_with_message(f"Retrying {counted(retried, 'turn')}.", "admin_ui:turns")

    def _search(self, text: str) -> tuple[Page, dict[UUID, str]]:
        """Search from the turn ?before= on back. Return a page, and the texts that were found, by turn."""
        params = self.request.GET
        project = Turn.objects.filter(project_id=self.project_id)
        before = project.filter(id=parse_uuid(params.get("before", ""))).first()
        found, texts, last = search_turns(self._turns(), text, before=before)
        later = f"?{urlencode({**params.dict(), 'before': last.id})}" if last else None
        return Page(found, number=1, earlier=None, later=later, order=SORT.default), texts

    def _turns(self) -> QuerySet[Turn]:
        params = self.request.GET
        rows = Turn.objects.filter(project_id=self.project_id)
        if state := _state(self.request):
            rows = rows.filter(state=state)
        if companion := parse_uuid(params.get("companion", "")):
            rows = rows.filter(relationship__companion_id=companion)
        if person := text_param(params, "person", limit=200):
            of_person = (f"relationship__user__{name}" for name in ("display_name", "external_id"))
            rows = rows.filter(name_matches(person, *of_person))
        if reason := text_param(params, "reason"):
            # both conditions have a partial index; no other turn has an error
            not_read, waiting = Q(state__in=[TurnState.FAILED, TurnState.SKIPPED]), Q(state__in=WAITING)
            rows = rows.filter(
                not_read | waiting,
                Q(error_code__icontains=reason.replace(" ", "_")) | Q(error_code__in=codes_with(reason)),
            )
        return rows


def _state(request: HttpRequest) -> str:
    state = request.GET.get("state", "")
    return state if state in EMPTY_TEXTS else ""


class RetryTurnView(OperatorView):
    def post(self, request: HttpRequest, turn_id: UUID) -> HttpResponse:
        retry_turn(relationship_id=self.relationship.id, turn_id=turn_id)
        trace = reverse("admin_ui:relationship_trace", args=[self.relationship.id, turn_id])
        return self.redirect_with_message("Retrying the turn.", return_path(request) or trace)
