"""A project's overview, the service's status, which is polled, and the alarm that every page shows."""

from datetime import timedelta
from typing import Any

from django.db.models import Count, Min, Q
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils import timezone

from admin_ui.access import OperatorView
from admin_ui.awaiting_review import awaiting_review
from admin_ui.names import companion_options
from admin_ui.other_work import other_work_of, unfinished_of
from admin_ui.overview import (
    PERIODS,
    TIMES,
    CompanionCalls,
    Overview,
    Period,
    alarms_of,
    overview_of,
    waits_of,
)
from admin_ui.paging import order_of
from admin_ui.params import parse_uuid
from admin_ui.words import counted, duration, grouped
from connect.events.owed import continue_failed
from connect.models import EventDelivery
from memory.models import EntryState, ScratchpadEntry
from relationships.models import Companion, Relationship, Role, Turn, TurnState
from relationships.services.api_keys import create_api_key
from relationships.services.companions import create_companion
from relationships.services.model_budgets import model_budget_of
from worker.condition import read_condition
from worker.other_work import FAILED
from worker.readiness import embedder_in_use, explained, provider_in_use
from worker.worker_stats import NOW

TYPES_SHOWN, RECENT = 12, 8
FIRST_SLUG = "assistant"
COLUMNS = ("name", "calls", "failed", "prompt_tokens", "output_tokens", "cost")


class OverviewView(OperatorView):
    needs_to_write = Role.OWNER

    def get(self, request: HttpRequest) -> HttpResponse:
        period = _period(request)
        overview = overview_of(self.project_id, period, now=timezone.now())
        if not overview.relationships and not period.companion:
            return self._first_steps()
        return self._figures(period, overview)

    def post(self, request: HttpRequest) -> HttpResponse:
        """Create a first API key, and a companion if there is none. Only this response contains the key."""
        owner: dict[str, Any] = {"project_id": self.project_id, "by": self.actor}
        if not Companion.objects.of_project(self.project_id).exists():
            create_companion(**owner, slug=FIRST_SLUG, name="Assistant")
        _, key = create_api_key(**owner, name="First key", scopes=["write"])
        return self._first_steps(key)

    def _first_steps(self, key: str = "") -> HttpResponse:
        slugs = Companion.objects.of_project(self.project_id).order_by("created_at", "id")
        slug = slugs.values_list("slug", flat=True).first() or FIRST_SLUG
        address = f"{self.request.scheme}://{self.request.get_host()}"
        return self.show("overview/first_steps", address=address, slug=slug, key=key)

    def _figures(self, period: Period, overview: Overview) -> HttpResponse:
        of_project = {"project_id": self.project_id}
        entries = ScratchpadEntry.objects.filter(**of_project, state=EntryState.ACTIVE)
        relationships = Relationship.objects.filter(**of_project)
        if period.companion:
            entries = entries.filter(relationship__companion_id=period.companion)
            relationships = relationships.filter(companion_id=period.companion)
        types = list(entries.values_list("type").annotate(count=Count("*")).order_by("-count"))
        held = awaiting_review(**of_project).count()
        recent = relationships.select_related("user", "companion").filter(last_turn_at__isnull=False)
        order = order_of(self.request, COLUMNS, default="-calls")

        def of_column(row: CompanionCalls) -> Any:
            value = getattr(row, order.removeprefix("-"))
            return -1 if value is None else value  # an unknown cost

        return self.show(
            "overview/detail",
            overview=overview,
            period=period,
            periods=[(days, f"last {days} days") for days in PERIODS],
            times=[("recorded", "received"), ("said", "said")],
            order=order,
            calls_by_companion=sorted(overview.companions, key=of_column, reverse=order.startswith("-")),
            companions=companion_options(self.request, self.project_id),
            types=[(name, count, round(100 * count / types[0][1])) for name, count in types[:TYPES_SHOWN]],
            tiles=_tiles(overview, period, entries=sum(count for _, count in types), held=held),
            recent=recent.order_by("-last_turn_at")[:RECENT],
        )


def _tiles(overview: Overview, period: Period, *, entries: int, held: int) -> list[tuple[str, int, str, str]]:
    """Return the figures above the charts: label, number, text below it, URL."""
    relationships, turns = reverse("admin_ui:relationships"), reverse("admin_ui:turns")
    added, deleted = grouped(overview.entries_added), grouped(overview.entries_deleted)
    lags = [] if overview.lag_p50 is None else [("p50", overview.lag_p50), ("p95", overview.lag_p95 or 0)]
    lag = ", ".join(f"{name}\u00a0{duration(seconds)}" for name, seconds in lags)
    days = f"in {period.days} days"
    new = f"{grouped(overview.new_relationships)} new"
    return [
        ("Relationships", overview.relationships, new, relationships),
        ("Active people", overview.active_people, days, f"{relationships}?order=-last"),
        ("Entries", entries, f"+{added}, −{deleted}", f"{relationships}?order=-entries"),
        ("Turns", overview.turns_in_all, lag, turns),
        ("Failed turns", overview.failed_turns, days, f"{turns}?state=failed"),
        ("Awaiting review", held, "deletions and agents' work", f"{relationships}?waits=1"),
    ]


def _period(request: HttpRequest) -> Period:
    days, by = request.GET.get("days", ""), request.GET.get("by", "")
    return Period(
        days=int(days) if days in map(str, PERIODS) else PERIODS[1],
        by=by if by in TIMES else "recorded",
        companion=parse_uuid(request.GET.get("companion", "")),
    )


class FirstTurnView(OperatorView):
    """The project's first turn, if there is one; polled by the first steps."""

    def get(self, request: HttpRequest) -> HttpResponse:
        first = Turn.objects.filter(project_id=self.project_id).order_by("recorded_at").first()
        return self.show("overview/_first_turn", turn=first)


class StatusView(OperatorView):
    """Workers, queue and models: a polled part of the overview, and a page of its own."""

    def get(self, request: HttpRequest) -> HttpResponse:
        condition, now = read_condition(), timezone.now()
        return self.show_or_part(
            "overview/status",
            "overview/_status",
            target="status",
            condition=condition,
            budget=model_budget_of(self.project_id),
            waiting=[
                (wait, now - timedelta(seconds=wait.seconds), explained(wait.reason))
                for wait in waits_of(condition, self.project_id)
            ],
            other_work=other_work_of(self.project_id),
            alive=sum(worker.alive for worker in condition.workers),
            llm=provider_in_use(),
            embedder=embedder_in_use(),
            **{name: sum(worker.counters.get(name, 0) for worker in condition.workers) for name in NOW},
        )


class OtherWorkView(OperatorView):
    """Work besides turns that failed or is tried again, with links to where each can be mended."""

    def get(self, request: HttpRequest) -> HttpResponse:
        found = unfinished_of(self.project_id)
        stopped = any(isinstance(one.row, EventDelivery) and one.state == FAILED for one in found)
        return self.show("overview/other_work", found=found, stopped=stopped)

    def post(self, request: HttpRequest) -> HttpResponse:
        """Continue deliveries of events that were given up."""
        continued = continue_failed(self.project_id)
        return self.redirect_with_message(
            f"Continuing {counted(continued, 'webhook')}.", "admin_ui:overview_other_work"
        )


class AlarmView(OperatorView):
    """The banner of every page, such as for a dead worker or a provider that refuses; empty if nothing is wrong."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """After the session has ended, return nothing: this request must not redirect the page to the sign-in."""
        if self.htmx and not request.user.is_authenticated:
            return HttpResponse(status=204)
        return super().dispatch(request, *args, **kwargs)

    def get(self, request: HttpRequest) -> HttpResponse:
        now = timezone.now()
        reasons = alarms_of(read_condition(), self.project_id, now=now)
        due = Q(state=TurnState.PENDING, due_at__isnull=False) | Q(state=TurnState.PROCESSING)
        owed = Turn.objects.filter(due, project_id=self.project_id)
        tried = Q(state=TurnState.PENDING, due_at__gt=now) & ~Q(error_code="")
        sums = {"held_up": Count("id"), "next_try": Min("due_at", filter=tried)}
        return self.show("overview/_alarm", reasons=reasons, **(owed.aggregate(**sums) if reasons else {}))
