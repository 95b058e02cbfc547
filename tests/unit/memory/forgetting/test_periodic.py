from datetime import datetime
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings
from structlog.testing import capture_logs

from config.logging import class_of_error
from memory.forgetting.configuration import Forgetting
from memory.forgetting.periodic import Walk
from memory.forgetting.policies import Condition, ForgettingPolicy
from relationships.models import Companion, Project, Relationship
from tests.fixtures.turns import Conversation
from tests.unit.memory.forgetting.sample import NOW, remember
from tests.unit.memory.retrieval.searched import sibling
from worker.housekeeping import periodic_tasks

RULE = {"forgetting": {"policy": "retention", "retention_days": 30}}
NONE = {"forgetting": {"policy": "none"}}


class Impossible(ForgettingPolicy):
    slug = "impossible"

    def condition(self, forgetting: Forgetting, now: datetime) -> Condition | None:
        return Condition("{since} < %(now)s AND e.importance / 1e-320 > 1", {"now": now})

    def reason(self, *, importance: float, age_days: float, forgetting: Forgetting) -> str:
        return "impossible"


class Away(Impossible):
    slug = "away"

    def condition(self, forgetting: Forgetting, now: datetime) -> Condition | None:
        raise OperationalError("the connection is lost")


def say(whose: Relationship, **levels: dict[str, Any]) -> None:
    tables: dict[str, Any] = {
        "project": Project.objects.filter(id=whose.project_id),
        "companion": Companion.objects.filter(id=whose.companion_id),
        "relationship": Relationship.objects.filter(id=whose.id),
    }
    for level, config in levels.items():
        tables[level].update(config=config)


@pytest.mark.parametrize("level", ["project", "companion", "relationship"])
def test_a_policy_holds_at_whatever_level_it_is_given(
    relationship: Relationship, conversation: Conversation, level: str
) -> None:
    remember(relationship, "Had a cold", days=40)
    say(relationship, **{level: RULE})

    assert Walk().step(NOW) == 1
    assert conversation.revisions[-1].event == "archive"


@pytest.mark.parametrize(
    "levels",
    [{}, {"companion": RULE, "relationship": NONE}, {"project": RULE, "companion": NONE}],
    ids=["nobody says so", "the relationship says no", "the companion says no"],
)
def test_without_a_policy_nothing_is_forgotten(
    relationship: Relationship, levels: dict[str, dict[str, Any]]
) -> None:
    remember(relationship, "Had a cold", days=4000)
    say(relationship, **levels)

    assert Walk().step(NOW) == 0


def test_a_relationship_without_a_policy_costs_no_look_at_its_entries(relationship: Relationship) -> None:
    remember(relationship, "Had a cold", days=4000)

    with CaptureQueriesContext(
        connection,
    ) as asked:
        Walk().step(NOW)

    assert not [query for query in asked if "scratchpadentry" in query["sql"]]


def test_a_configuration_that_has_become_wrong_stops_nobody_else(relationship: Relationship) -> None:
    remember(relationship, "Had a cold", days=40)
    say(relationship, companion={"forgetting": {"policy": "of.an.uninstalled.plugin"}})

    assert Walk().step(NOW) == 0


@pytest.mark.django_db(transaction=True)
def test_a_rule_that_the_database_refuses_stops_no_other(
    relationship: Relationship, settings: Settings
) -> None:
    settings.FORGETTING_POLICIES = {**settings.FORGETTING_POLICIES, "impossible": f"{__name__}.Impossible"}
    first, second = sorted([relationship, sibling(relationship)], key=lambda each: each.id)
    for each in (first, second):
        remember(each, "Had a cold", days=40)
    say(first, relationship={"forgetting": {"policy": "impossible"}})
    say(second, relationship=RULE)

    with capture_logs(processors=[class_of_error]) as logs:
        assert Walk().step(NOW) == 1

    assert [(line["event_name"], line["relationship_id"], line["error_class"]) for line in logs] == [
        ("queue.periodic_task.failed_for_one", str(first.id), "DataError")
    ]


def test_a_database_that_is_away_is_no_rules_fault(relationship: Relationship, settings: Settings) -> None:
    settings.FORGETTING_POLICIES = {**settings.FORGETTING_POLICIES, "away": f"{__name__}.Away"}
    say(relationship, relationship={"forgetting": {"policy": "away"}})

    with capture_logs(processors=[class_of_error]) as logs, pytest.raises(OperationalError):
        Walk().step(NOW)
    assert not logs


def test_the_walk_begins_again_at_the_end(relationship: Relationship) -> None:
    say(relationship, companion=RULE)
    walk = Walk()
    assert walk.step(NOW) == 0
    remember(relationship, "Had a cold", days=40)

    assert sum(walk.step(NOW) for _ in range(3)) == 1


def test_the_house_keeps_this_periodic_task() -> None:
    assert "forget_entries" in [periodic_task.name for periodic_task in periodic_tasks()]
