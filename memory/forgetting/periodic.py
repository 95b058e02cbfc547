"""Go through the relationships and forget where the configuration says so. Nearly all have no policy, and cost only
one row of a page."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import partial
from uuid import UUID

import orjson

from memory.forgetting.configuration import Forgetting
from memory.forgetting.forget import forget_entries, policy_of, who_has_leaving
from relationships.configuration.cascade import valid_configuration
from relationships.services.walking import Levels, Passed, RelationshipWalk, companion_levels
from worker.failures import each_alone

AT_ONCE = 200  # relationships in which entries leave


class Walk:
    """Takes a page of relationships each round, and starts again after the last."""

    def __init__(self) -> None:
        self._walk = RelationshipWalk("forgetting", "recipe")

    def step(self, now: datetime) -> int:
        """Handle the next page; return how many entries were removed."""
        levels = companion_levels()
        forgetful = [
            id for id, (project, companion) in levels.items() if _forgetting(project, companion, "{}")
        ]
        rules = _by_rule(self._walk.next_page(forgetful), levels).items()
        return each_alone(rules, partial(_forget, now), of=lambda rule: min(rule[1]))


def _forget(now: datetime, rule: tuple[Forgetting, Mapping[UUID, UUID]]) -> int:
    """Forget in the relationships under a rule, which are given with their projects."""
    forgetting, projects = rule
    owing = who_has_leaving(list(projects), forgetting, now)[:AT_ONCE]
    return each_alone(
        owing,
        lambda id: forget_entries(
            relationship_id=id, project_id=projects[id], forgetting=forgetting, now=now
        ),
    )


def _by_rule(rows: Iterable[Passed], levels: dict[UUID, Levels]) -> dict[Forgetting, dict[UUID, UUID]]:
    """Relationships under each rule, so that one statement asks for all of them."""
    found: dict[Forgetting, dict[UUID, UUID]] = defaultdict(dict)
    for row in rows:
        known = levels.get(row.companion_id)  # a companion may have come since
        forgetting = _forgetting(*known, row.config) if known else None
        if forgetting is not None:
            found[forgetting][row.id] = row.project_id
    return found


def _forgetting(*levels: str) -> Forgetting | None:
    """None: nothing is ever forgotten, or the configuration has become invalid, which the next turn reports."""
    values = valid_configuration(map(orjson.loads, levels))
    return values.forgetting if values and policy_of(values.forgetting).slug != "none" else None
