from context.explain import levels_of
from relationships.configuration.cascade import resolve_configuration


def test_every_value_says_which_level_it_is_from() -> None:
    resolved = resolve_configuration(
        project={"context": {"recent_messages": 5}},
        companion={"context": {"core_prompt": "Hi", "layers": {"memory": {"budget": 100}}}},
        turn={"context": {"recent_messages": 7}},
    )

    levels = levels_of(resolved)

    assert levels["context.recent_messages"] == "turn"
    assert levels["context.core_prompt"] == "companion"
    assert levels["context.layers.memory.budget"] == "companion"
    assert levels["context.layers.memory.enabled"] == "default"
    assert levels["context.order"] == "default"
    assert levels["ingestion.strategy"] == "recipe"
