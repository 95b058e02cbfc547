from web.actor import Actor, ActorKind


def test_a_rule_of_ours_is_an_actor_with_its_name() -> None:
    assert Actor.policy("expiry") == Actor(ActorKind.POLICY, "expiry")
