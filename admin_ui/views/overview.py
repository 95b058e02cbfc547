"""The state of a project at a glance."""

from datetime import timedelta

from django.db.models import Count, Q, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from admin_ui.access import OperatorView
from memory.models import EntryState, HeldDeletion, HeldState, ModelCall, ScratchpadEntry
from relationships.models import Relationship, Turn, TurnState

DAYS = 14


class OverviewView(OperatorView):
    def get(self, request: HttpRequest) -> HttpResponse:
        project_id, now = self.seat.project.id, timezone.now()
        since = now - timedelta(days=DAYS)
        turns = Turn.objects.filter(project_id=project_id)
        ctx = {
            "turns": turns.filter(recorded_at__gte=since).aggregate(
                all=Count("*"),
                waiting=Count("id", filter=Q(state__in=[TurnState.PENDING, TurnState.PROCESSING])),
                failed=Count("id", filter=Q(state=TurnState.FAILED)),
            ),
            "calls": ModelCall.objects.filter(project_id=project_id, recorded_at__gte=since).aggregate(
                all=Count("*"),
                tokens=Sum("prompt_tokens"),
                cost=Sum("cost"),
                failed=Count("id", filter=~Q(error_code="")),
            ),
            "types": ScratchpadEntry.objects.filter(project_id=project_id, state=EntryState.ACTIVE)
            .values("type")
            .annotate(count=Count("*"))
            .order_by("-count")[:12],
            "held": HeldDeletion.objects.filter(project_id=project_id, state=HeldState.WAITING).count(),
            "recent": Relationship.objects.of_project(project_id)
            .select_related("user", "companion")
            .filter(last_turn_at__isnull=False)
            .order_by("-last_turn_at")[:8],
            "days": DAYS,
        }
        return render(request, "admin_ui/overview/detail.html", ctx)
