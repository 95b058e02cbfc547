from memory.forgetting.configuration import Forgetting
from memory.forgetting.forget import forget_entries
from memory.forgetting.retention import RetentionDays
from relationships.models import Relationship
from tests.fixtures.turns import Conversation
from tests.unit.memory.forgetting.sample import NOW, remember

RULE = Forgetting(policy="retention", retention_days=100, then="expire")


def test_what_nobody_touched_for_so_long_expires_wherever_it_is(
    relationship: Relationship, conversation: Conversation
) -> None:
    remember(relationship, "Had a cold", days=101, importance=1.0)
    remember(relationship, "Had a cat", days=500, tier="archive")
    remember(relationship, "Has a dog", days=99)

    left = forget_entries(
        relationship_id=relationship.id, project_id=relationship.project_id, forgetting=RULE, now=NOW
    )

    assert left == 2
    assert conversation.contents == ["Has a dog"]


def test_the_reason_tells_the_rule_and_its_numbers() -> None:
    said = RetentionDays().reason(importance=1, age_days=101.2, forgetting=RULE)
    assert said == "retention: untouched for 101 days, kept for 100"
