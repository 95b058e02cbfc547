import pytest

from memory.forgetting.configuration import Forgetting
from memory.forgetting.forget import forget_entries
from memory.forgetting.policies import ActivationFloor, KeepEverything, RetentionDays, activation
from relationships.models import Relationship
from tests.fixtures.turns import Conversation
from tests.unit.memory.forgetting.sample import NOW, remember

ACTIVATION = Forgetting(policy="activation", activation_floor=0.25, half_life_days=30)
RETENTION = Forgetting(policy="retention", retention_days=100, then="expire")


@pytest.mark.parametrize(
    ("importance", "days", "left"),
    [(1.0, 0, 1.0), (1.0, 30, 0.5), (0.5, 60, 0.125), (0.0, 10, 0.0), (1.0, 1e9, 0.0)],
)
def test_importance_halves_with_every_half_life(importance: float, days: float, left: float) -> None:
    assert activation(importance, age_days=days, half_life_days=30) == pytest.approx(left)


def test_what_fell_below_the_floor_leaves_and_the_rest_stays(
    relationship: Relationship, conversation: Conversation
) -> None:
    remember(relationship, "Once saw a heron", days=61, importance=0.9)  # .9 / 4.1
    remember(relationship, "Is called Maya", days=59, importance=1.0)  # 1 / 3.9
    remember(relationship, "Bought milk", days=1, importance=0.2)
    remember(relationship, "Weighs nothing", days=1, importance=0.0)
    remember(relationship, "From long ago", days=3000, importance=1.0)

    left = forget_entries(
        relationship_id=relationship.id, project_id=relationship.project_id, forgetting=ACTIVATION, now=NOW
    )

    assert left == 4
    assert [entry.content for entry in conversation.entries if entry.tier == "scratchpad"] == [
        "Is called Maya"
    ]


def test_the_least_that_a_rule_may_say_is_within_the_databases_range(relationship: Relationship) -> None:
    least = Forgetting(policy="activation", activation_floor=0.000001, half_life_days=0.001)
    remember(relationship, "Is called Maya", days=700_000, importance=1.0)
    remember(relationship, "Weighs nothing", days=0, importance=0.0)

    left = forget_entries(
        relationship_id=relationship.id, project_id=relationship.project_id, forgetting=least, now=NOW
    )

    assert left == 2


def test_a_floor_of_nothing_keeps_everything() -> None:
    assert ActivationFloor().condition(Forgetting(policy="activation", activation_floor=0), NOW) is None


def test_the_reason_tells_the_rule_and_its_numbers() -> None:
    said = ActivationFloor().reason(importance=0.8, age_days=60, forgetting=ACTIVATION)
    assert said == "activation: importance 0.8 x 2^(-60 days / 30) = 0.2, below 0.25"


def test_what_nobody_touched_for_so_long_expires_wherever_it_is(
    relationship: Relationship, conversation: Conversation
) -> None:
    remember(relationship, "Had a cold", days=101, importance=1.0)
    remember(relationship, "Had a cat", days=500, tier="archive")
    remember(relationship, "Has a dog", days=99)

    left = forget_entries(
        relationship_id=relationship.id, project_id=relationship.project_id, forgetting=RETENTION, now=NOW
    )

    assert left == 2
    assert conversation.contents == ["Has a dog"]


def test_the_reason_of_retention_tells_how_long_it_was_untouched() -> None:
    said = RetentionDays().reason(importance=1, age_days=101.2, forgetting=RETENTION)
    assert said == "retention: untouched for 101 days, kept for 100"


def test_by_default_time_alone_takes_nothing_away() -> None:
    assert KeepEverything().condition(Forgetting(), NOW) is None
