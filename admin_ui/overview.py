"""What happened in a project over some days: each figure one statement, over one index on a time."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings

from admin_ui.plots import Plot, stacked_bars
from admin_ui.words import lasting
from config.postgresql.sessions import execute
from worker.condition import DUE, READING, QueueCondition, Wait
from worker.readiness import BLOCKING, Blocker, blockers, explained

PERIODS = (7, 30, 90)  # days
MOST_DAYS_ONE_BY_ONE = 31  # in a longer period a bar is a week
TURNS_TIMED = 10_000  # at most, the newest: whose p50 and p95 are shown
NAMED = 4  # companions that have a colour of their own
# By which time something counts: when it was taken in, or when it was said.
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
    """The last `days` days with today, of all companions or of one; `by`: see TIMES."""

    days: int
    by: str
    companion: UUID | None


@dataclass(slots=True)
class CompanionCalls:
    """What one companion asked of models in all these days. `cost` in USD, None where no price is known."""

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
    active_people: int  # who said something in these days
    turns_in_all: int
    failed_turns: int
    entries_added: int
    entries_deleted: int
    turns: Plot
    changes: Plot
    calls: Plot
    tokens: Plot  # by companion
    costs: Plot  # by companion, in USD, of the calls whose price is known
    lag_p50: float | None  # seconds from a turn's intake to its being remembered
    lag_p95: float | None
    companions: Sequence[CompanionCalls]

    @property
    def unpriced(self) -> bool:
        """Whether models were called whose price is unknown."""
        return any(row.cost is None and row.calls > row.failed for row in self.companions)


def overview_of(project_id: UUID, period: Period, *, now: datetime) -> Overview:
    """Five statements."""
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
        tokens=_of_each(calendar, calls, companions, lambda row: row[6] + row[7]),
        costs=_of_each(calendar, calls, companions, lambda row: row[8] or 0),
        lag_p50=lag[0] if lag else None,
        lag_p95=lag[1] if lag else None,
        companions=companions,
    )


def waits_of(condition: QueueCondition, project_id: UUID) -> list[Wait]:
    """What the project's turns were tried in vain for so far, the longest wait first. Asks nothing."""
    waits = [wait for wait in condition.waits if wait.project_id == project_id]
    tried = [wait for wait in waits if wait.reason not in (DUE, READING)]
    return sorted(tried, key=lambda wait: -wait.seconds)


def alarms_of(condition: QueueCondition, project_id: UUID, *, now: datetime) -> list[str]:
    """What holds turns up, in sentences for an operator of this project; empty while all is well. What waits for a
    person to mend a setting is told at once, all else as soon as it is alarming (`worker.readiness`).
    """
    silent, told = condition.beat_age_seconds, []
    if silent is None or silent > settings.HEARTBEAT_LIMIT_SECONDS:
        since = "" if silent is None else f" for {lasting(silent)}"
        told.append(f"No worker has reported{since}. Start one with manage.py worker.")
    alarming = {(found.reason, found.provider): found for found in blockers(condition) if found.alarming}
    for wait in waits_of(condition, project_id):
        if alarming.pop((wait.reason, wait.provider), None) or wait.reason in BLOCKING:
            since = f"{now - timedelta(seconds=wait.seconds):%-d %b, %H:%M}"
            why = _refusal(explained(wait.reason), wait.provider)
            told.append(f"{why} Turns have been waiting since {since} UTC.")
    return told + [_alarm(found) for found in alarming.values()]


def _alarm(found: Blocker) -> str:
    if found.reason != DUE:
        return _refusal(explained(found.reason), found.provider)
    return f"No worker takes the waiting turns, the oldest for {lasting(found.seconds)}."


def _refusal(why: str, provider: str) -> str:
    """A sentence about "the provider" with its name, where that is known."""
    if not provider:
        return why
    named = re.sub("the provider", provider, why, count=1, flags=re.IGNORECASE)
    return named if named != why else f"{provider}: {why}"


@dataclass(frozen=True, slots=True)
class Calendar:
    """The bars of a plot: a day each, or a week each, the last of which ends today."""

    first: date
    days: int

    @property
    def each(self) -> int:
        return 1 if self.days <= MOST_DAYS_ONE_BY_ONE else 7

    @property
    def labels(self) -> list[str]:
        starts = [self.first + timedelta(days=day) for day in range(-self._lead, self.days, self.each)]
        return [f"{'' if self.each == 1 else 'week of '}{day:%-d %b}" for day in starts]

    def place(self, day: date) -> int | None:
        """Which bar a day is in; None where it is in none."""
        number = (day - self.first).days
        return (number + self._lead) // self.each if 0 <= number < self.days else None

    @property
    def _lead(self) -> int:
        """Days that the first week has more than are asked for."""
        return -self.days % self.each


def _by_day(calendar: Calendar, rows: Sequence[tuple[Any, ...]], names: Sequence[str]) -> Plot:
    series = {name: [0.0] * len(calendar.labels) for name in names}
    for day, *figures in rows:
        if (place := calendar.place(day)) is not None:
            for name, figure in zip(names, figures, strict=True):
                series[name][place] += float(figure)
    return stacked_bars(calendar.labels, series)


def _of_each(
    calendar: Calendar, calls: Sequence[tuple[Any, ...]], companions: Sequence[CompanionCalls], figure: Any
) -> Plot:
    """A series for each of the companions that asked most, and one for the others."""
    named = {row.companion_id: (row.name, row.slug) for row in companions[:NAMED]}
    labels = calendar.labels
    series = {key: [0.0] * len(labels) for key in [*named, *([None] if len(companions) > NAMED else [])]}
    for row in calls:
        if (place := calendar.place(row[0])) is not None:
            series[row[1] if row[1] in named else None][place] += float(figure(row))
    names = {key: _told_apart(named[key], named.values()) if key else "others" for key in series}
    return stacked_bars(labels, {names[key]: series[key] for key in series})


def _told_apart(companion: tuple[str, str], others: Collection[tuple[str, str]]) -> str:
    """Its name, with its slug where another has the same."""
    name, slug = companion
    return f"{name} ({slug})" if name == "others" or [other[0] for other in others].count(name) > 1 else name


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
