"""Go through the relationships and forget where the configuration says so. Nearly all have no policy, and cost only
one row of a page."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

import orjson

from config.postgresql.sessions import execute
from memory.forgetting.configuration import Forgetting
from memory.forgetting.forget import forget_entries, policy_of, who_has_leaving
from relationships.configuration.cascade import valid_configuration
from worker.failures import each_alone

PAGE = 10_000  # relationships passed in one round
AT_ONCE = 200  # of them in which entries leave

_START = UUID(int=0)

# Companions first: their configuration and their project's apply to all of their relationships that have none of their
# own.
_COMPANIONS = """
SELECT c.id, p.config::text, c.config::text FROM relationships_companion c
  JOIN relationships_project p ON p.id = c.project_id
"""
_PAGE = """
WITH page AS (
    SELECT id, project_id, companion_id, config FROM relationships_relationship
     WHERE id > %(after)s ORDER BY id LIMIT %(page)s
)
SELECT id, project_id, companion_id, config::text FROM page
 WHERE companion_id = ANY(%(companions)s) OR config ?| '{forgetting,recipe}'
    OR id = (SELECT id FROM page ORDER BY id DESC LIMIT 1)
 ORDER BY id
"""

Levels = tuple[str, str]  # the project's and the companion's configuration, as JSON


class Walk:
    """Takes a page of relationships each round, and starts again after the last."""

    def __init__(self) -> None:
        self._after = _START

    def step(self, now: datetime) -> int:
        """Handle the next page; return how many entries were removed."""
        levels = _companions()
        forgetful = [
            id for id, (project, companion) in levels.items() if _forgetting(project, companion, "{}")
        ]
        rows = execute(_PAGE, {"after": self._after, "page": PAGE, "companions": forgetful})
        self._after = rows[-1][0] if rows else _START
        rules = _by_rule(rows, levels).items()
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


def _by_rule(rows: list[Any], levels: dict[UUID, Levels]) -> dict[Forgetting, dict[UUID, UUID]]:
    """Relationships under each rule, so that one statement asks for all of them."""
    found: dict[Forgetting, dict[UUID, UUID]] = defaultdict(dict)
    for relationship_id, project_id, companion_id, config in rows:
        known = levels.get(companion_id)  # a companion may have come since
        forgetting = _forgetting(*known, config) if known else None
        if forgetting is not None:
            found[forgetting][relationship_id] = project_id
    return found


def _companions() -> dict[UUID, Levels]:
    return {row[0]: (row[1], row[2]) for row in execute(_COMPANIONS)}


def _forgetting(*levels: str) -> Forgetting | None:
    """None: nothing is ever forgotten, or the configuration has become invalid, which the next turn reports."""
    values = valid_configuration(map(orjson.loads, levels))
    return values.forgetting if values and policy_of(values.forgetting).slug != "none" else None
