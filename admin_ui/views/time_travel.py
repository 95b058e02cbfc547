"""The scratchpad as it was at a moment, and what changed since another."""

from datetime import UTC, datetime
from uuid import UUID

from django.db.models import Max, Min
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from admin_ui.time_travel import compare_entries
from admin_ui.views.scratchpad import RelationshipPart
from memory.models import EntryRevision, EntryState, ScratchpadEntry
from memory.services.time_travel import entries_at
from relationships.models import Relationship

STEPS = 1000  # of the slider, over the relationship's whole life


class TimeTravelView(RelationshipPart):
    tab = "time"

    def get(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        relationship, now = self.get_relationship(relationship_id), timezone.now()
        known = request.GET.get("by") == "known"
        field = "recorded_at" if known else "effective_at"
        revisions = EntryRevision.objects.for_relationship(relationship_id)
        first = revisions.aggregate(first=Min(field), last=Max(field))["first"] or now
        step = _step(request.GET.get("step", ""))
        moment = min(_moment(request.GET.get("at", "")) or first + (now - first) * step / STEPS, now)
        then = self._active_at(relationship, moment, known=known, now=now)
        present = self._active_at(relationship, now, known=known, now=now)
        ctx = {
            **self.ctx_of(relationship),
            "moment": moment,
            "first": first,
            "now": now,
            "step": round(STEPS * ((moment - first) / (now - first))) if now > first else STEPS,
            "steps": STEPS,
            "known": known,
            "entries": then,
            "changes": compare_entries(then, present),
        }
        part = getattr(request, "htmx", False) and request.htmx.target == "then"  # type: ignore[attr-defined]
        return render(request, f"admin_ui/time_travel/{'_then' if part else 'detail'}.html", ctx)

    def _active_at(
        self, relationship: Relationship, moment: datetime, *, known: bool, now: datetime
    ) -> list[ScratchpadEntry]:
        entries = entries_at(
            relationship_id=relationship.id,
            project_id=relationship.project_id,
            as_of=None if known else moment,
            known_at=moment if known else None,
            now=now,
        )
        return [entry for entry in entries if entry.state == EntryState.ACTIVE]


def _step(text: str) -> int:
    return min(int(text), STEPS) if text.isdecimal() and len(text) < 6 else STEPS


def _moment(text: str) -> datetime | None:
    """What a date field sends, in UTC; None where it is none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
