"""The state of a project at a glance, and that of the service, which lives."""

from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from admin_ui.access import OperatorView
from admin_ui.overview import overview_of, waiting_turns
from memory.models import EntryState, OperationResult, ScratchpadEntry
from relationships.models import Relationship, Turn, TurnState
from relationships.services.model_budgets import model_budget_of
from worker.condition import read_condition
from worker.readiness import blockers, embedder_in_use, provider_in_use, reasons_for_alarm

DAYS = 14
TYPES_SHOWN, LATELY = 12, 8


class OverviewView(OperatorView):
    def get(self, request: HttpRequest) -> HttpResponse:
        project_id = self.access.project.id
        turns = Turn.objects.filter(project_id=project_id)
        entries = ScratchpadEntry.objects.filter(project_id=project_id, state=EntryState.ACTIVE)
        types = list(entries.values_list("type").annotate(count=Count("id")).order_by("-count")[:TYPES_SHOWN])
        ctx = {
            "overview": overview_of(project_id, days=DAYS, now=timezone.now()),
            "waiting": turns.filter(state__in=[TurnState.PENDING, TurnState.PROCESSING]).count(),
            "failed": turns.filter(state=TurnState.FAILED).count(),
            "types": [(name, count, round(100 * count / types[0][1])) for name, count in types],
            "held": OperationResult.objects.filter(project_id=project_id).waiting().count(),
            "recent": Relationship.objects.of_project(project_id)
            .select_related("user", "companion")
            .filter(last_turn_at__isnull=False)
            .order_by("-last_turn_at")[:LATELY],
            "days": DAYS,
        }
        return render(request, "admin_ui/overview/detail.html", ctx)


class StatusView(OperatorView):
    """The workers, the queue and the models, for the part of the overview that asks again by itself."""

    def get(self, request: HttpRequest) -> HttpResponse:
        condition = read_condition()
        ctx = {
            "condition": condition,
            "budget": model_budget_of(self.access.project.id),
            "reasons": reasons_for_alarm(condition, blockers(condition)),
            "waiting": waiting_turns(condition, self.access.project.id, now=timezone.now()),
            "alive": sum(worker.alive for worker in condition.workers),
            "llm": provider_in_use(),
            "embedder": embedder_in_use(),
        }
        part = getattr(request, "htmx", False)
        return render(request, f"admin_ui/overview/{'_status' if part else 'status'}.html", ctx)
