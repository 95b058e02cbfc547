"""The state of a project at a glance, that of the service, which lives, and the alarm that stands on every page."""

from typing import Any

from django.db.models import Count, Min, Q
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone

from admin_ui.access import OperatorView, render_page_or_part
from admin_ui.names import companions_listed
from admin_ui.overview import (
    PERIODS,
    TIMES,
    CompanionCalls,
    Overview,
    Period,
    alarms_of,
    overview_of,
    waiting_turns,
)
from admin_ui.params import parse_uuid
from admin_ui.sorting import order_of
from memory.models import EntryState, MendingPlan, OperationResult, ScratchpadEntry
from relationships.models import Companion, Relationship, Role, Turn, TurnState
from relationships.services.api_keys import create_api_key
from relationships.services.companions import create_companion
from relationships.services.model_budgets import model_budget_of
from worker.condition import read_condition
from worker.readiness import embedder_in_use, provider_in_use
from worker.worker_stats import NOW

TYPES_SHOWN, RECENT = 12, 8
FIRST_SLUG = "assistant"
COLUMNS = ("name", "calls", "failed", "prompt_tokens", "output_tokens", "cost")


class OverviewView(OperatorView):
    needs_to_write = Role.OWNER

    def get(self, request: HttpRequest) -> HttpResponse:
        period = self._period(request)
        overview = overview_of(self.access.project.id, period, now=timezone.now())
        if not overview.relationships and not period.companion:
            return self._first_steps(request)
        return self._figures(request, period, overview)

    def post(self, request: HttpRequest) -> HttpResponse:
        """The first key, and a companion if there is none. The key is in this answer and nowhere else."""
        owner: dict[str, Any] = {"project_id": self.access.project.id, "by": self.access.actor}
        if not Companion.objects.of_project(self.access.project.id).exists():
            create_companion(**owner, slug=FIRST_SLUG, name="Assistant")
        _, key = create_api_key(**owner, name="First key", scopes=["write"])
        return self._first_steps(request, key=key)

    def _first_steps(self, request: HttpRequest, key: str = "") -> HttpResponse:
        slugs = Companion.objects.of_project(self.access.project.id).order_by("created_at", "id")
        ctx = {
            "address": f"{request.scheme}://{request.get_host()}",
            "slug": slugs.values_list("slug", flat=True).first() or FIRST_SLUG,
            "key": key,
        }
        return render(request, "admin_ui/overview/first_steps.html", ctx)

    def _figures(self, request: HttpRequest, period: Period, overview: Overview) -> HttpResponse:
        project_id = self.access.project.id
        entries = ScratchpadEntry.objects.filter(project_id=project_id, state=EntryState.ACTIVE)
        relationships = Relationship.objects.of_project(project_id)
        if period.companion:
            entries = entries.filter(relationship__companion_id=period.companion)
            relationships = relationships.filter(companion_id=period.companion)
        types = list(entries.values_list("type").annotate(count=Count("*")).order_by("-count"))
        order = order_of(request, COLUMNS, usual="-calls")

        def of_column(row: CompanionCalls) -> Any:
            value = getattr(row, order.removeprefix("-"))
            return -1 if value is None else value  # a cost that nobody knows

        ctx = {
            "overview": overview,
            "period": period,
            "periods": PERIODS,
            "order": order,
            "asked": sorted(overview.companions, key=of_column, reverse=order.startswith("-")),
            "companions": companions_listed(request, Companion.objects.of_project(project_id)),
            "entries": sum(count for _, count in types),
            "types": [(name, count, round(100 * count / types[0][1])) for name, count in types[:TYPES_SHOWN]],
            "held": OperationResult.objects.filter(project_id=project_id)
            .waiting()
            .values("id")
            .union(MendingPlan.objects.filter(project_id=project_id).awaiting_review().values("id"), all=True)
            .count(),
            "recent": relationships.select_related("user", "companion")
            .filter(last_turn_at__isnull=False)
            .order_by("-last_turn_at")[:RECENT],
        }
        return render(request, "admin_ui/overview/detail.html", ctx)

    def _period(self, request: HttpRequest) -> Period:
        days, by = request.GET.get("days", ""), request.GET.get("by", "")
        return Period(
            days=int(days) if days in map(str, PERIODS) else PERIODS[1],
            by=by if by in TIMES else "recorded",
            companion=parse_uuid(request.GET.get("companion", "")),
        )


class FirstTurnView(OperatorView):
    """Whether the project's first turn has come, for the page that waits for it."""

    def get(self, request: HttpRequest) -> HttpResponse:
        first = Turn.objects.filter(project_id=self.access.project.id).order_by("recorded_at").first()
        return render(request, "admin_ui/overview/_first_turn.html", {"turn": first})


class StatusView(OperatorView):
    """The workers, the queue and the models, for the part of the overview that asks again by itself."""

    def get(self, request: HttpRequest) -> HttpResponse:
        condition = read_condition()
        ctx = {
            "condition": condition,
            "budget": model_budget_of(self.access.project.id),
            "waiting": waiting_turns(condition, self.access.project.id, now=timezone.now()),
            "alive": sum(worker.alive for worker in condition.workers),
            **{name: sum(worker.counters.get(name, 0) for worker in condition.workers) for name in NOW},
            "llm": provider_in_use(),
            "embedder": embedder_in_use(),
        }
        return render_page_or_part(request, "overview/status", "overview/_status", ctx, target="status")


class AlarmView(OperatorView):
    """The one banner: a dead worker, a stuck queue, a provider that refuses; nothing while all is well."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Whose session has ended is not sent away by a part that asks by itself, but by what they do next."""
        if request.headers.get("HX-Request") and not request.user.is_authenticated:
            return HttpResponse(status=204)
        return super().dispatch(request, *args, **kwargs)

    def get(self, request: HttpRequest) -> HttpResponse:
        now = timezone.now()
        reasons = alarms_of(read_condition(), self.access.project.id, now=now)
        due = Q(state=TurnState.PENDING, due_at__isnull=False) | Q(state=TurnState.PROCESSING)
        owed = Turn.objects.filter(due, project_id=self.access.project.id)
        tried = Q(state=TurnState.PENDING, due_at__gt=now) & ~Q(error_code="")
        sums = {"held_up": Count("id"), "next_try": Min("due_at", filter=tried)}
        ctx = {"reasons": reasons, **(owed.aggregate(**sums) if reasons else {})}
        return render(request, "admin_ui/overview/_alarm.html", ctx)
