"""What happened in a project over some days: each figure one statement, over one index on the time it was recorded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection

from admin_ui.plots import Plot, stacked_bars
from worker.condition import DUE, READING, QueueCondition
from worker.readiness import explained

_TURNS = """
SELECT (recorded_at AT TIME ZONE 'UTC')::date, count(*) FILTER (WHERE state = 'applied'),
       count(*) FILTER (WHERE state = 'failed'),
       count(*) FILTER (WHERE state NOT IN ('applied', 'failed'))
  FROM relationships_turn WHERE project_id = %(project)s AND recorded_at >= %(since)s GROUP BY 1
"""
_LAG = """
SELECT percentile_cont(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY extract(epoch FROM settled_at - recorded_at))
  FROM relationships_turn
 WHERE project_id = %(project)s AND recorded_at >= %(since)s AND state = 'applied' AND settled_at IS NOT NULL
"""
_CHANGES = """
SELECT (recorded_at AT TIME ZONE 'UTC')::date, count(*) FILTER (WHERE event = 'add'),
       count(*) FILTER (WHERE event IN ('update', 'supersede', 'merge', 'restore', 'archive')),
       count(*) FILTER (WHERE event IN ('delete', 'expire'))
  FROM memory_entryrevision WHERE project_id = %(project)s AND recorded_at >= %(since)s GROUP BY 1
"""
_CALLS = """
SELECT (m.recorded_at AT TIME ZONE 'UTC')::date, c.id, c.name, count(*), count(*) FILTER (WHERE m.error_code <> ''),
       coalesce(sum(m.prompt_tokens), 0), coalesce(sum(m.output_tokens), 0), sum(m.cost)
  FROM memory_modelcall m
  JOIN relationships_relationship r ON r.id = m.relationship_id
  JOIN relationships_companion c ON c.id = r.companion_id
 WHERE m.project_id = %(project)s AND m.recorded_at >= %(since)s GROUP BY 1, 2, 3
"""


@dataclass(frozen=True, slots=True)
class CompanionCalls:
    """What one companion asked of models in all these days. `cost` in USD, None where no price is known."""

    companion_id: UUID
    name: str
    calls: int
    failed: int
    prompt_tokens: int
    output_tokens: int
    cost: Any


@dataclass(frozen=True, slots=True)
class Overview:
    turns: Plot
    changes: Plot
    calls: Plot
    tokens: Plot
    costs: Plot  # in USD, of the calls whose price is known
    lag_p50: float | None  # seconds from a turn's intake to its being remembered
    lag_p95: float | None
    companions: Sequence[CompanionCalls]


def overview_of(project_id: UUID, *, days: int, now: datetime) -> Overview:
    """Four statements, over the last `days` days with today."""
    first = (now - timedelta(days=days - 1)).date()
    since = now.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=days - 1)
    params = {"project": project_id, "since": since}
    calendar = [first + timedelta(days=number) for number in range(days)]
    calls = _rows(_CALLS, params)
    (lag,) = _rows(_LAG, params)[0]
    return Overview(
        turns=_by_day(calendar, _rows(_TURNS, params), ("processed", "failed", "waiting or skipped")),
        changes=_by_day(calendar, _rows(_CHANGES, params), ("added", "changed", "removed")),
        calls=_by_day(calendar, _calls_by_day(calls), ("succeeded", "failed")),
        tokens=_by_day(calendar, _summed(calls, 5, 6), ("input", "output")),
        costs=_by_day(calendar, _summed(calls, 7), ("USD",)),
        lag_p50=lag[0] if lag else None,
        lag_p95=lag[1] if lag else None,
        companions=_by_companion(calls),
    )


@dataclass(frozen=True, slots=True)
class WaitingTurns:
    """Turns of the project that wait for one thing, and since when the oldest does."""

    turns: int
    since: datetime
    reason: str
    provider: str  # "" where it is the project's own matter
    why: str


def waiting_turns(condition: QueueCondition, project_id: UUID, *, now: datetime) -> list[WaitingTurns]:
    """What was tried in vain so far, the longest wait first. Asks nothing."""
    waits = [wait for wait in condition.waits if wait.project_id == project_id]
    return [
        WaitingTurns(
            wait.turns,
            now - timedelta(seconds=wait.seconds),
            wait.reason,
            wait.provider,
            explained(wait.reason),
        )
        for wait in sorted(waits, key=lambda wait: -wait.seconds)
        if wait.reason not in (DUE, READING)
    ]


def _rows(statement: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())


def _by_day(days: Sequence[date], rows: Sequence[tuple[Any, ...]], names: Sequence[str]) -> Plot:
    known = {row[0]: row[1:] for row in rows}
    none = (0,) * len(names)
    series = {name: [float(known.get(day, none)[place]) for day in days] for place, name in enumerate(names)}
    return stacked_bars([f"{day:%-d %b}" for day in days], series)


def _summed(calls: Sequence[tuple[Any, ...]], *columns: int) -> list[tuple[Any, ...]]:
    """By day, over all companions; what is not known counts nothing."""
    sums: dict[date, list[float]] = {}
    for row in calls:
        known = sums.setdefault(row[0], [0.0] * len(columns))
        for place, column in enumerate(columns):
            known[place] += float(row[column] or 0)
    return [(day, *figures) for day, figures in sums.items()]


def _calls_by_day(calls: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [(day, every - failed, failed) for day, every, failed in _summed(calls, 3, 4)]


def _by_companion(calls: Sequence[tuple[Any, ...]]) -> list[CompanionCalls]:
    sums: dict[UUID, CompanionCalls] = {}
    for _, companion_id, name, count, failed, prompt, output, cost in calls:
        known = sums.get(companion_id, CompanionCalls(companion_id, name, 0, 0, 0, 0, None))
        sums[companion_id] = CompanionCalls(
            companion_id,
            name,
            known.calls + count,
            known.failed + failed,
            known.prompt_tokens + int(prompt),
            known.output_tokens + int(output),
            cost if known.cost is None else known.cost + (cost or 0),
        )
    return sorted(sums.values(), key=lambda row: (-row.calls, row.name))
