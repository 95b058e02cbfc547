"""A budget of the whole context: who gives way, and to whom."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.answer import AssembledContext
from context.pipeline import build_context
from context.text import divide
from memory.models import Tier
from relationships.models import Relationship
from tests.fixtures.contexts import added, hear, put, remember
from tests.wire import statements_sent

RULES = "You are Ada. " * 20
SAID = [
    f"Remark {place}: the weather in town {place} was dull, as on most days of that week"
    for place in range(30)
]


def context_of(
    relationship: Relationship,
    budget: int | None,
    message: str = "Where did I leave my boat?",
    **context: Any,
) -> AssembledContext:
    return build_context(
        project_id=relationship.project_id,
        relationship_id=relationship.id,
        message=message,
        session="current",
        config={"context": {"core_prompt": RULES, "budget": budget, **context}},
    )


def tokens_of(assembled: AssembledContext) -> dict[str, int]:
    return {layer.name: layer.tokens for layer in assembled.layers if layer.tokens}


@pytest.fixture
def talkative(relationship: Relationship) -> Relationship:
    """With a boat long ago, and much of nothing since, in the list and in what was said."""
    hear(relationship, "I left my boat in Porto, at the old yard", session="before")
    for remark in SAID:
        hear(relationship, remark)
    added(relationship, "Left the boat in Porto", tier=Tier.SCRATCHPAD)
    remember(relationship, *[f"Found town {place} dull" for place in range(60)])
    return relationship


def test_a_context_takes_no_more_than_its_budget_and_keeps_what_fits(talkative: Relationship) -> None:
    wanted = context_of(talkative, None)
    for budget in (500, 700, 900):
        assembled = context_of(talkative, budget)

        assert wanted.total_tokens > 900 > 0.7 * budget < assembled.total_tokens <= budget
        assert "- Left the boat in Porto" in assembled.system
        assert "- Maya: I left my boat in Porto, at the old yard" in assembled.system
        assert assembled.messages[-2]["content"] == SAID[-1]


def test_what_the_developer_wrote_and_the_message_are_never_cut_for_it(talkative: Relationship) -> None:
    assembled = context_of(talkative, 0, priorities=["Never lie"])

    assert list(tokens_of(assembled)) == ["core", "priorities", "current"]
    assert assembled.system == f"{RULES.strip()}\n\nBefore everything else:\n- Never lie"
    left = {layer.name: layer.left_out.count for layer in assembled.layers if layer.left_out}
    assert left == {"memory": 61, "episodes": 1, "messages": 20}


def test_who_wants_less_leaves_it_to_the_others(relationship: Relationship) -> None:
    remember(relationship, *[f"Found town {place} dull" for place in range(60)])
    put(relationship, "profile", {"city": "Lisbon"})
    wanted = context_of(relationship, None)

    assembled = context_of(relationship, wanted.total_tokens - 20)

    assert tokens_of(assembled)["profile"] == tokens_of(wanted)["profile"]
    assert 0 < tokens_of(wanted)["memory"] - tokens_of(assembled)["memory"] < 80


def test_a_layers_own_budget_holds_below_the_one_of_the_whole(talkative: Relationship) -> None:
    assembled = context_of(talkative, 900, layers={"messages": {"budget": 60}})

    assert tokens_of(assembled)["messages"] <= 60
    assert assembled.total_tokens <= 900


@pytest.mark.parametrize(("budget", "statements"), [(None, 3), (20_000, 3), (600, 7)])
def test_only_a_context_that_has_to_be_cut_is_searched_anew(
    talkative: Relationship, budget: int | None, statements: int
) -> None:
    """For the entries that fit, and for the messages that stand no more among the recent."""
    with statements_sent() as sent:
        context_of(talkative, budget)

    assert len(sent) == statements


WANTED = st.dictionaries(st.sampled_from("abcdef"), st.tuples(st.integers(0, 5_000), st.integers(1, 9)))


@given(room=st.integers(-50, 20_000), layers=WANTED)
def test_what_is_divided_is_the_room_and_nobody_has_more_than_is_wanted(
    room: int, layers: dict[str, tuple[int, int]]
) -> None:
    wanted = {name: tokens for name, (tokens, _) in layers.items()}
    weights = {name: weight for name, (_, weight) in layers.items()}

    given = divide(room, wanted, weights)

    assert set(given) == set(wanted)
    assert all(0 <= given[name] <= wanted[name] for name in wanted)
    most = min(max(room, 0), sum(wanted.values()))
    assert most - len(wanted) < sum(given.values()) <= most or not wanted
    cut = [given[name] / weights[name] for name in wanted if given[name] < wanted[name]]
    assert max(cut, default=0) - min(cut, default=0) <= 1
