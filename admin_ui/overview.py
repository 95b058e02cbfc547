"""The figures of a project's overview, and its alarms. Each statement uses an index on a time."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings

from admin_ui.plots import Plot, stacked_bars
from admin_ui.words import duration
from config.postgresql.sessions import execute
from worker.condition import DUE, READING, QueueCondition, Wait
from worker.readiness import BLOCKING, Blocker, blockers, explained

PERIODS = (7, 30, 90)  # days
MOST_DAILY_BARS = 31  # in a longer period a bar is a week
TURNS_TIMED = 10_000  # newest turns that p50 and p95 are computed of
NAMED = 4  # companions with their own colour
# The columns of turns and of changes by which they are dated.
TIMES = {"recorded": ("recorded_at", "recorded_at"), "said": ("occurred_at", "effective_at")}

_OF_COMPANION = """
   AND (%(companion)s::uuid IS NULL OR relationship_id IN (
       SELECT id FROM relationships_relationship WHERE companion_id = %(companion)s))
"""
_TOTALS = """
SELECT count(*), count(*) FILTER (WHERE created_at >= %(since)s),
       count(DISTINCT user_id) FILTER (WHERE last_turn_at >= %(since)s)
  FROM relationships_relationship
 WHERE project_id = %(project)s AND (%(companion)s::uuid IS NULL OR companion_id = %(companion)s)
"""
_TURNS = """
SELECT ({time} AT TIME ZONE 'UTC')::date, count(*) FILTER (WHERE state = 'applied'),
       count(*) FILTER (WHERE state = 'failed'),
       count(*) FILTER (WHERE state NOT IN ('applied', 'failed'))
  FROM relationships_turn WHERE project_id = %(project)s AND {time} >= %(since)s {companion} GROUP BY 1
"""
_LAG = """
SELECT percentile_cont(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY seconds)
  FROM (SELECT extract(epoch FROM settled_at - recorded_at) AS seconds
          FROM relationships_turn
         WHERE project_id = %(project)s AND recorded_at >= %(since)s AND state = 'applied'
           AND settled_at IS NOT NULL {companion}
         ORDER BY recorded_at DESC LIMIT {most}) newest
"""
_CHANGES = """
SELECT ({time} AT TIME ZONE 'UTC')::date, count(*) FILTER (WHERE event = 'add'),
       count(*) FILTER (WHERE event IN ('update', 'supersede', 'merge', 'restore', 'archive')),
       count(*) FILTER (WHERE event IN ('delete', 'expire'))
  FROM memory_entryrevision WHERE project_id = %(project)s AND {time} >= %(since)s {companion} GROUP BY 1
"""
_CALLS = """
SELECT day, c.id, c.name, c.slug, calls, failed, prompt, output, cost
  FROM (SELECT (m.recorded_at AT TIME ZONE 'UTC')::date AS day, r.companion_id, count(*) AS calls,
               count(*) FILTER (WHERE m.error_code <> '') AS failed, coalesce(sum(m.prompt_tokens), 0) AS prompt,
               coalesce(sum(m.output_tokens), 0) AS output, sum(m.cost) AS cost
          FROM memory_modelcall m JOIN relationships_relationship r ON r.id = m.relationship_id
         WHERE m.project_id = %(project)s AND m.recorded_at >= %(since)s
           AND (%(companion)s::uuid IS NULL OR r.companion_id = %(companion)s) GROUP BY 1, 2) asked
  JOIN relationships_companion c ON c.id = companion_id
"""


@dataclass(frozen=True, slots=True)
class Period:
    """The last `days` days, including today. `by`: a key of TIMES; `companion`: None for all."""

    days: int
    by: str
    companion: UUID | None


@dataclass(slots=True)
class CompanionCalls:
    """A companion's model calls in the period. `cost`: in USD, None if no price is known."""

    companion_id: UUID
    name: str
    slug: str
    calls: int = 0
    failed: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    cost: Any = None


@dataclass(frozen=True, slots=True)
class Overview:
    relationships: int
    new_relationships: int
    active_people: int  # people with a turn in the period
    turns_in_all: int
    failed_turns: int
    entries_added: int
    entries_deleted: int
    turns: Plot
    changes: Plot
    calls: Plot
    tokens: Plot  # by companion
    costs: Plot  # by companion, in USD, of the calls whose price is known
    lag_p50: float | None  # seconds from a turn's arrival until it was processed
    lag_p95: float | None
    companions: Sequence[CompanionCalls]

    @property
    def unpriced(self) -> bool:
        """Whether models were called whose price is unknown."""
        return any(row.cost is None and row.calls > row.failed for row in self.companions)


def overview_of(project_id: UUID, period: Period, *, now: datetime) -> Overview:
    """Compute the figures of a period. Five statements."""
    first = (now - timedelta(days=period.days - 1)).date()
    since = now.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=period.days - 1)
    params = {"project": project_id, "since": since, "companion": period.companion}
    turn_time, change_time = TIMES[period.by]
    calendar = Calendar(first, period.days)
    totals = execute(_TOTALS, params)[0]
    turns = execute(_TURNS.format(time=turn_time, companion=_OF_COMPANION), params)
    changes = execute(_CHANGES.format(time=change_time, companion=_OF_COMPANION), params)
    calls = execute(_CALLS, params)
    (lag,) = execute(_LAG.format(companion=_OF_COMPANION, most=TURNS_TIMED), params)[0]
    companions = _by_companion(calls)
    outcomes = [(row[0], row[4] - row[5], row[5]) for row in calls]
    return Overview(
        relationships=totals[0],
        new_relationships=totals[1],
        active_people=totals[2],
        turns_in_all=sum(sum(row[1:]) for row in turns),
        failed_turns=sum(row[2] for row in turns),
        entries_added=sum(row[1] for row in changes),
        entries_deleted=sum(row[3] for row in changes),
        turns=_by_day(calendar, turns, ("processed", "failed", "waiting or skipped")),
        changes=_by_day(calendar, changes, ("added", "updated", "deleted")),
        calls=_by_day(calendar, outcomes, ("succeeded", "failed")),
        tokens=_plot_by_companion(calendar, calls, companions, lambda row: row[6] + row[7]),
        costs=_plot_by_companion(calendar, calls, companions, lambda row: row[8] or 0),
        lag_p50=lag[0] if lag else None,
        lag_p95=lag[1] if lag else None,
        companions=companions,
    )


def waits_of(condition: QueueCondition, project_id: UUID) -> list[Wait]:
    """Return why turns of the project wait that were tried already, longest wait first. No statement."""
    waits = [wait for wait in condition.waits if wait.project_id == project_id]
    tried = [wait for wait in waits if wait.reason not in (DUE, READING)]
    return sorted(tried, key=lambda wait: -wait.seconds)


def alarms_of(condition: QueueCondition, project_id: UUID, *, now: datetime) -> list[str]:
    """Return what blocks the project's turns, as sentences; empty if nothing does.

    Wrong settings are reported at once, all else when it is alarming (see `worker.readiness`).
    """
    silent, alarms = condition.beat_age_seconds, []
    if silent is None or silent > settings.HEARTBEAT_LIMIT_SECONDS:
        since = "" if silent is None else f" for {duration(silent)}"
        alarms.append(f"No worker has reported{since}. Start one with manage.py worker.")
    alarming = {(found.reason, found.provider): found for found in blockers(condition) if found.alarming}
    for wait in waits_of(condition, project_id):
        if alarming.pop((wait.reason, wait.provider), None) or wait.reason in BLOCKING:
            since = f"{now - timedelta(seconds=wait.seconds):%-d %b, %H:%M}"
            why = _with_provider(explained(wait.reason), wait.provider)
            alarms.append(f"{why} Turns have been waiting since {since} UTC.")
    return alarms + [_alarm(found) for found in alarming.values()]


def _alarm(found: Blocker) -> str:
    if found.reason != DUE:
        return _with_provider(explained(found.reason), found.provider)
    return f"No worker takes the waiting turns, the oldest for {duration(found.seconds)}."


def _with_provider(sentence: str, provider: str) -> str:
    """Replace "the provider" by its name, if that is known."""
    if not provider:
        return sentence
    named = re.sub("the provider", provider, sentence, count=1, flags=re.IGNORECASE)
    return named if named != sentence else f"{provider}: {sentence}"


@dataclass(frozen=True, slots=True)
class Calendar:
    """The bars of a chart: a day each, or a week each, the last one ending today."""

    first: date
    days: int

    @property
    def bar_days(self) -> int:
        return 1 if self.days <= MOST_DAILY_BARS else 7

    @property
    def labels(self) -> list[str]:
        starts = [self.first + timedelta(days=day) for day in range(-self._lead, self.days, self.bar_days)]
        return [f"{'' if self.bar_days == 1 else 'week of '}{day:%-d %b}" for day in starts]

    def place(self, day: date) -> int | None:
        """Return the index of a day's bar; None if the day is outside the period."""
        number = (day - self.first).days
        return (number + self._lead) // self.bar_days if 0 <= number < self.days else None

    @property
    def _lead(self) -> int:
        """The days of the first week before the period."""
        return -self.days % self.bar_days


def _by_day(calendar: Calendar, rows: Sequence[tuple[Any, ...]], names: Sequence[str]) -> Plot:
    """Plot rows of a day and a number for each name."""
    series = {name: [0.0] * len(calendar.labels) for name in names}
    for day, *figures in rows:
        if (place := calendar.place(day)) is not None:
            for name, figure in zip(names, figures, strict=True):
                series[name][place] += float(figure)
    return stacked_bars(calendar.labels, series)


def _plot_by_companion(
    calendar: Calendar, calls: Sequence[tuple[Any, ...]], companions: Sequence[CompanionCalls], figure: Any
) -> Plot:
    """Plot a series for each of the companions with the most calls, and one for the others."""
    named = {row.companion_id: (row.name, row.slug) for row in companions[:NAMED]}
    labels = calendar.labels
    series = {key: [0.0] * len(labels) for key in [*named, *([None] if len(companions) > NAMED else [])]}
    for row in calls:
        if (place := calendar.place(row[0])) is not None:
            series[row[1] if row[1] in named else None][place] += float(figure(row))
    names = {key: _unique_name(*named[key], named.values()) if key else "others" for key in series}
    return stacked_bars(labels, {names[key]: series[key] for key in series})


def _unique_name(name: str, slug: str, companions: Collection[tuple[str, str]]) -> str:
    """Return the name, with the slug if several companions have this name."""
    is_ambiguous = name == "others" or [other for other, _ in companions].count(name) > 1
    return f"{name} ({slug})" if is_ambiguous else name


def _by_companion(calls: Sequence[tuple[Any, ...]]) -> list[CompanionCalls]:
    sums: dict[UUID, CompanionCalls] = {}
    for _, companion_id, name, slug, count, failed, prompt, output, cost in calls:
        known = sums.setdefault(companion_id, CompanionCalls(companion_id, name, slug))
        known.calls += count
        known.failed += failed
        known.prompt_tokens += int(prompt)
        known.output_tokens += int(output)
        if cost is not None:
            known.cost = (known.cost or 0) + cost
    return sorted(sums.values(), key=lambda row: (-row.calls, row.name))
