"""Sees that people who stay silent get a schedule that their companion, or its project, was given meanwhile."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import lru_cache
from uuid import UUID

import orjson
from django.db import transaction

from behaviours.models import BehaviourRun
from behaviours.owed import owe_schedules, schedules_of
from behaviours.schedule import next_time
from relationships.configuration.cascade import valid_configuration
from relationships.models import Relationship
from relationships.services.sequence import lock_relationship
from relationships.services.walking import Levels, Passed, RelationshipWalk, companion_levels
from worker.failures import each_alone

AT_ONCE = 200  # relationships that get a schedule in one round

Schedules = Mapping[str, tuple[str, ...]]  # cron expressions, by the behaviour's name


class ScheduleWalk:
    """Takes a page of relationships each round, until all were seen since a configuration with a schedule changed.

    A turn, and a change of the relationship itself, owe schedules at once (behaviours.owed).
    """

    def __init__(self) -> None:
        self._begin({})

    def _begin(self, levels: Mapping[UUID, Levels]) -> None:
        self._walk, self._levels = RelationshipWalk("behaviours"), levels
        self._left, self._is_done = 0, not levels

    def step(self, now: datetime) -> int:
        """Handle the next page; return how many relationships got a schedule."""
        levels = {id: own for id, own in companion_levels("behaviours").items() if _schedules(*own, "{}")}
        if levels != self._levels:
            self._begin(levels)
        if self._is_done:
            return 0
        began = self._walk.after
        page = self._walk.next_page(levels)
        if not page:
            self._left, self._is_done = 0, not self._left
            return 0
        ends, self._walk.after = self._walk.after, began  # if anything fails, the page is taken again
        owing = _owing(page, levels, now)
        now_owing = owing[:AT_ONCE]
        done = each_alone(now_owing, _owe)
        self._left += len(now_owing) - done
        self._walk.after = ends if now_owing == owing else now_owing[-1]
        return done


def _owing(page: Iterable[Passed], levels: Mapping[UUID, Levels], now: datetime) -> list[UUID]:
    """Those with a schedule that comes sooner than what is owed, in the page's order."""
    wanted = {
        row: _schedules(*levels[row.companion_id], row.config)
        for row in page
        if row.has_spoken and row.companion_id in levels
    }
    runs = BehaviourRun.objects.filter(relationship_id__in=[row.id for row in wanted]).next_times()
    owed = {(id, name): due for id, name, due in runs.values_list("relationship_id", "behaviour", "due_at")}
    latest = datetime.max.replace(tzinfo=now.tzinfo)

    @lru_cache(maxsize=10_000)
    def due(schedules: tuple[str, ...], timezone: str) -> datetime:
        return min(next_time(one, now, timezone) for one in schedules)

    return [
        row.id
        for row, named in wanted.items()
        if any(
            (owed.get((row.id, name)) or latest) > due(crons, row.timezone) for name, crons in named.items()
        )
    ]


def _owe(relationship_id: UUID) -> int:
    with transaction.atomic():
        if not lock_relationship(relationship_id):
            return 0
        rows = Relationship.objects.select_related("project", "companion")
        owe_schedules(rows.get(id=relationship_id))
    return 1


@lru_cache(maxsize=1000)
def _schedules(*levels: str) -> Schedules:
    """Of the behaviours that are on; none if the configuration has become invalid, which others report."""
    if not any('"schedule"' in level for level in levels):
        return {}
    values = valid_configuration(map(orjson.loads, levels))
    if values is None:
        return {}
    behaviours = values.behaviours.by_kind["async"]
    return {name: tuple(schedules_of(one.when)) for name, one in behaviours if one.is_scheduled}
