import pytest

from context.facts import Levels
from context.plan import plan_for
from web.errors import InvalidConfiguration

PLAIN = Levels("{}", "{}", "{}")


def test_the_layers_that_are_on_stand_in_the_configured_order() -> None:
    companion = (
        '{"context": {"order": ["profile", "core", "current"], "layers": {"core": {"enabled": false}}}}'
    )

    plan = plan_for(Levels("{}", companion, "{}"), None)

    assert [layer.name for layer in plan.layers] == ["profile", "current"]


def test_the_same_configuration_is_worked_out_once() -> None:
    assert plan_for(PLAIN, None) is plan_for(Levels("{}", "{}", "{}"), {})


def test_a_changed_level_is_seen_at_once() -> None:
    before = plan_for(PLAIN, None)

    after = plan_for(Levels("{}", '{"context": {"recent_messages": 3}}', "{}"), None)

    assert before.resolved.values.context.recent_messages == 20
    assert after.resolved.values.context.recent_messages == 3


def test_the_turns_own_level_goes_before_all_and_is_kept_by_no_cache() -> None:
    turn = {"context": {"recent_messages": 1}}

    assert plan_for(PLAIN, turn).resolved.values.context.recent_messages == 1
    assert plan_for(PLAIN, None).resolved.values.context.recent_messages == 20


@pytest.mark.parametrize(
    ("turn", "field"),
    [
        ({"context": {"order": ["nonsense"]}}, "config.context"),
        ({"context": {"order": ["core", "core"]}}, "config.context"),
        ({"context": {"order": ["os.path.join"]}}, "config.context"),
        ({"context": {"recent_messages": 500}}, "config.context.recent_messages"),
        ({"context": {"layers": {"memory": {"budget": -1}}}}, "config.context.layers.memory.budget"),
        ({"context": 5}, "config.context"),
        ({"weather": {}}, "config.weather"),
        ({"recipe": "nonsense"}, "config.recipe"),
    ],
)
def test_a_wrong_turn_level_is_named_below_config(turn: dict[str, object], field: str) -> None:
    with pytest.raises(InvalidConfiguration) as caught:
        plan_for(PLAIN, turn)

    assert [problem.field for problem in caught.value.problems] == [field]


def test_a_wrong_stored_level_is_not_blamed_on_the_turn() -> None:
    with pytest.raises(InvalidConfiguration) as caught:
        plan_for(
            Levels('{"context": {"recent_messages": 500}}', "{}", "{}"), {"context": {"group_by_type": True}}
        )

    assert [problem.field for problem in caught.value.problems] == ["context.recent_messages"]
