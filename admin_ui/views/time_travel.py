"""The scratchpad as it was at a moment, and what changed from there to another."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal
from uuid import UUID

from django.db.models import F, Min
from django.db.models.functions import Extract, Floor
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from admin_ui.access import render_page_or_part
from admin_ui.views.scratchpad import RelationshipPart
from admin_ui.word_diff import Piece, word_diff
from memory.entries.time_travel import PastLine, active_lines_at
from memory.models import EntryRevision, RevisionEvent

STEPS = 1000  # of each slider, over the relationship's whole life
SHOWN = 50  # entries, and changes


@dataclass(frozen=True, slots=True)
class EntryChange:
    """One entry that is not what it was."""

    kind: Literal["added", "changed", "removed"]
    entry_id: UUID
    before: str
    after: str
    at: datetime | None = None  # when what it says now was said; None where it is gone

    @property
    def text(self) -> Sequence[Piece]:
        """Its words before and after, told apart."""
        return word_diff(self.before, self.after)


class TimeTravelView(RelationshipPart):
    tab = "time"

    def get(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        relationship, now = self.get_relationship(relationship_id), timezone.now()
        known = request.GET.get("by") == "known"
        field = "recorded_at" if known else "effective_at"
        first = EntryRevision.objects.for_relationship(relationship_id).aggregate(first=Min(field))["first"]
        first = min(first or now, now)
        moment = _chosen(request, "at", "step", first, now)
        until = max(moment, _chosen(request, "to", "until", first, now))
        then = _lines(relationship_id, moment, known=known, now=now)
        later = then if until == moment else _lines(relationship_id, until, known=known, now=now)
        changes = compare_entries(then, later)
        ctx = {
            **self.ctx_of(relationship),
            "moment": moment,
            "later": until if until < now else None,
            "first": first,
            "now": now,
            "ticks": _ticks(relationship_id, field, first, now),
            "step": _step_of(moment, first, now),
            "until": _step_of(until, first, now),
            "steps": STEPS,
            "known": known,
            "entries": then[:SHOWN],
            "entry_count": len(then),
            "changes": changes[:SHOWN],
            "change_count": len(changes),
        }
        return render_page_or_part(request, "time_travel/detail", "time_travel/_then", ctx, target="then")


def _lines(relationship_id: UUID, moment: datetime, *, known: bool, now: datetime) -> list[PastLine]:
    return active_lines_at(
        relationship_id=relationship_id,
        as_of=None if known else moment,
        known_at=moment if known else None,
        now=now,
    )


def _ticks(relationship_id: UUID, field: str, first: datetime, now: datetime) -> list[int]:
    """The steps of the sliders at which something changed, in order."""
    seconds = (now - first).total_seconds()
    if not seconds:
        return []
    changed = EntryRevision.objects.for_relationship(relationship_id).exclude(event=RevisionEvent.NONE)
    since = Extract(F(field), "epoch") - first.timestamp()
    steps = (
        changed.annotate(step=Floor(since * STEPS / seconds)).order_by("step").values_list("step", flat=True)
    )
    return [int(step) for step in steps.distinct() if 0 <= step <= STEPS]


def _chosen(request: HttpRequest, date: str, step: str, first: datetime, now: datetime) -> datetime:
    """The moment that a date names, else a slider's step; now where neither does."""
    named = _moment(request.GET.get(date, ""))
    return min(named or first + (now - first) * _step(request.GET.get(step, "")) / STEPS, now)


def _step(text: str) -> int:
    return min(int(text), STEPS) if text.isdecimal() and len(text) < 6 else STEPS


def _step_of(moment: datetime, first: datetime, now: datetime) -> int:
    return max(0, round(STEPS * ((moment - first) / (now - first)))) if now > first else STEPS


def _moment(text: str) -> datetime | None:
    """What a date field sends, in UTC: the end of that day. None where it is none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if len(text) == len("2026-05-03"):
        moment = moment.replace(hour=23, minute=59, second=59)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def compare_entries(then: Iterable[PastLine], later: Iterable[PastLine]) -> list[EntryChange]:
    """What is new, what says something else, what is gone; in the order of the later list, then of the earlier."""
    before = {entry.id: entry.content for entry in then}
    after = {entry.id: entry for entry in later}
    changes: list[EntryChange] = []
    for entry_id, entry in after.items():
        old = before.get(entry_id)
        if old is None:
            changes.append(EntryChange("added", entry_id, "", entry.content, entry.effective_at))
        elif old != entry.content:
            changes.append(EntryChange("changed", entry_id, old, entry.content, entry.effective_at))
    gone = [(entry_id, content) for entry_id, content in before.items() if entry_id not in after]
    return changes + [EntryChange("removed", entry_id, content, "") for entry_id, content in gone]
