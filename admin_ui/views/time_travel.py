"""The scratchpad at a past time, and what changed from then until a second time."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from admin_ui.access import OperatorView
from admin_ui.params import parse_moment
from admin_ui.word_diff import Piece, word_diff
from memory.entries.time_travel import PastChange, PastLine, changes_of, lines_at
from memory.models import RevisionEvent

STEPS = 1000  # of each slider, from the first change until now
SHOWN = 50  # entries, and changes


@dataclass(frozen=True, slots=True)
class EntryChange:
    """The difference of an entry between two times. `event`: of the revision after which it is gone."""

    kind: Literal["added", "updated", "removed"]
    entry_id: UUID
    before: str
    after: str
    at: datetime  # effective time of the present text, or since when the entry is gone
    event: str = ""

    @property
    def text(self) -> Sequence[Piece]:
        return word_diff(self.before, self.after)


class TimeTravelView(OperatorView):
    tab = "time"

    def get(self, request: HttpRequest) -> HttpResponse:
        now, known = timezone.now(), request.GET.get("by") == "known"
        history = changes_of(self.relationship.id, known=known)
        first = min([now, *(change.at for change in history)])
        moment = _chosen(request, "at", "step", first, now)
        until = max(moment, _chosen(request, "to", "until", first, now))
        then, later = (lines_at(history, at if at < now else None) for at in (moment, until))
        last = {change.id: change for change in history if change.at <= until}
        changes = compare_entries(then, later, last)
        return self.show_or_part(
            "time_travel/detail",
            "time_travel/_then",
            target="then",
            moment=moment,
            dates={name: _day(request.GET.get(name, "")) for name in ("at", "to")},
            kinds=[("true", "what was true at that time"), ("known", "what was known at that time")],
            later=until if until < now else None,
            first=first,
            now=now,
            ticks=_ticks(history, first, now),
            step=_step_of(moment, first, now),
            until=_step_of(until, first, now),
            steps=STEPS,
            known=known,
            entries=then[:SHOWN],
            entry_count=len(then),
            changes=changes[:SHOWN],
            change_count=len(changes),
        )


def _ticks(history: Iterable[PastChange], first: datetime, now: datetime) -> str:
    """Return the slider's steps with changes, as an SVG path."""
    changed = {_step_of(change.at, first, now) for change in history if change.event != RevisionEvent.NONE}
    return "".join(f"M{step} 0V10" for step in sorted(changed) if step <= STEPS)


def _chosen(request: HttpRequest, date: str, step: str, first: datetime, now: datetime) -> datetime:
    """Return the time that a date field or else a slider names; now if neither does."""
    named = _end_of_day(request.GET.get(date, ""))
    return min(named or first + (now - first) * _step(request.GET.get(step, "")) / STEPS, now)


def _step(text: str) -> int:
    return min(int(text), STEPS) if text.isdecimal() and len(text) < 6 else STEPS


def _step_of(moment: datetime, first: datetime, now: datetime) -> int:
    return max(0, round(STEPS * ((moment - first) / (now - first)))) if now > first else STEPS


def _end_of_day(text: str) -> datetime | None:
    """Parse a date as the end of that day in UTC, or a time. None if it is neither."""
    moment = parse_moment(text)
    if moment and len(text) == len("2026-05-03"):
        return moment.replace(hour=23, minute=59, second=59)
    return moment


def _day(text: str) -> str:
    """Return the date of a date or time, as a date field takes it."""
    moment = parse_moment(text)
    return f"{moment:%Y-%m-%d}" if moment else ""


def compare_entries(
    then: Iterable[PastLine], later: Iterable[PastLine], last: Mapping[UUID, PastChange]
) -> list[EntryChange]:
    """Compare the entries of two times, newest change first. `last`: each entry's last revision until the later one."""
    before = {entry.id: entry.content for entry in then}
    after = {entry.id: entry for entry in later}
    changes: list[EntryChange] = []
    for entry_id, entry in after.items():
        old = before.get(entry_id)
        if old is None:
            changes.append(EntryChange("added", entry_id, "", entry.content, entry.effective_at))
        elif old != entry.content:
            changes.append(EntryChange("updated", entry_id, old, entry.content, entry.effective_at))
    for entry_id, content in before.items():
        if entry_id not in after:
            removal = last[entry_id]
            changes.append(EntryChange("removed", entry_id, content, "", removal.at, removal.event))
    return sorted(changes, key=lambda change: change.at, reverse=True)
