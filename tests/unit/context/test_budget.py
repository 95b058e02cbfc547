"""A budget of the whole context: who gives way, and to whom."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.answer import AssembledContext
from context.budget import Want, divide
from context.pipeline import build_context
from memory.ingestion.intake import accept_turn
from memory.models import Tier
from relationships.models import Relationship
from relationships.services.turns import NewMessage, NewTurn
from tests.fixtures.contexts import NOON, added, hear, put, remember
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


def test_a_small_budget_goes_to_the_layers_that_have_something_to_show_within_it(
    talkative: Relationship,
) -> None:
    put(talkative, "profile", {f"hobby {place}": "something with boats" for place in range(20)})
    for budget in range(100, 500, 25):
        assembled = context_of(talkative, budget, core_prompt="")

        assert 0.8 * budget < assembled.total_tokens <= budget, budget


@pytest.mark.parametrize(
    ("budget", "reply", "shown"),
    [(600, 900, "whole"), (600, 9_000, "end"), (2_000, 9_000, "end"), (4_000, 12_000, "whole")],
)
def test_the_last_exchange_stays_and_of_a_long_reply_its_end(
    talkative: Relationship, budget: int, reply: int, shown: str
) -> None:
    told = ("Sailing is an art. " * 700)[:reply] + "Shall I go on?"
    new = NewTurn(
        [NewMessage("user", "And sailing?"), NewMessage("assistant", told)], NOON, session="current"
    )
    accept_turn(relationship=talkative, new=new)

    assembled = context_of(talkative, budget, "Yes", core_prompt="")

    said, replied, _ = [message["content"] for message in assembled.messages[-3:]]
    assert (said, replied == told) == ("And sailing?", shown == "whole")
    assert replied.startswith("Sailing" if shown == "whole" else "[…] ") and replied.endswith(
        "Shall I go on?"
    )
    assert "- Left the boat in Porto" in assembled.system or budget < 4_000
    assert tokens_of(assembled)["memory"] > 100
    assert 0.8 * min(budget, 3_000) < assembled.total_tokens <= budget


def test_the_last_exchange_goes_before_what_others_have_by_weight(talkative: Relationship) -> None:
    put(talkative, "hot_context", {"content": "\n".join(f"- Town {place} is dull" for place in range(90))})
    put(talkative, "profile", {f"town_{place}": "dull" for place in range(90)})
    told = "Sailing is an art. " * 70
    messages = [NewMessage("user", "And sailing?"), NewMessage("assistant", told)]
    accept_turn(relationship=talkative, new=NewTurn(messages, NOON, session="current"))

    assembled = context_of(talkative, 800, "Yes", core_prompt="")

    tokens = tokens_of(assembled)
    assert assembled.messages[-2]["content"] == told
    assert (
        300 < tokens["messages"] <= 400 and tokens["memory"] > tokens["hot_context"] > tokens["profile"] > 40
    )
    assert assembled.total_tokens <= 800


def test_a_layer_of_ones_own_is_cut_where_it_has_a_weight(talkative: Relationship) -> None:
    order = [
        "memory",
        "tests.plugins.layers.NewsLayer",
        "tests.plugins.layers.MoodLayer",
        "messages",
        "current",
    ]

    assembled = context_of(talkative, 500, order=order)

    news, mood = assembled.layers[1:3]
    assert assembled.total_tokens <= 500
    assert news.tokens > 80 and news.left_out is not None
    assert (mood.text, mood.left_out) == ("Maya is in a good mood.", None)


def test_what_the_caller_has_shown_takes_nothing_of_the_budget(talkative: Relationship) -> None:
    asked: dict[str, Any] = {
        "project_id": talkative.project_id,
        "relationship_id": talkative.id,
        "message": "Where did I leave my boat?",
        "session": "current",
        "config": {"context": {"budget": 500}},
        "conversation": {said.strip() for said in SAID},
    }

    assembled = build_context(**asked)

    assert "messages" not in {layer.name for layer in assembled.layers}
    assert [message["role"] for message in assembled.messages] == ["user"]
    assert 450 < assembled.total_tokens <= 500
    assert SAID[-1] not in assembled.system


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

    given = divide(room, {name: Want(*want) for name, want in layers.items()})

    assert set(given) == set(wanted)
    assert all(0 <= given[name] <= wanted[name] for name in wanted)
    most = min(max(room, 0), sum(wanted.values()))
    assert most - len(wanted) - 1 <= sum(given.values()) <= most
    cut = [given[name] / weights[name] for name in wanted if given[name] < wanted[name]]
    assert max(cut, default=0) - min(cut, default=0) <= 1


@given(
    room=st.integers(0, 2_000),
    layers=st.dictionaries(st.sampled_from("abcdef"), st.builds(Want, *[st.integers(1, 900)] * 4)),
)
def test_each_has_what_it_needs_or_leaves_it_to_the_others(room: int, layers: dict[str, Want]) -> None:
    given = divide(room, layers)

    assert sum(given.values()) <= room
    assert all(given[name] == 0 or want.needed <= given[name] <= want.most for name, want in layers.items())
    served = {name: layers[name] for name, tokens in given.items() if tokens}
    assert divide(room, served) == {name: given[name] for name in served}


@pytest.mark.parametrize(
    ("room", "memory", "profile", "messages"),
    [(900, 400, 100, 400), (400, 170, 60, 170), (300, 120, 60, 120), (250, 125, 0, 125), (200, 120, 0, 80)],
)
def test_the_lightest_goes_first_and_what_is_held_comes_before_all(
    room: int, memory: int, profile: int, messages: int
) -> None:
    wants = {"memory": Want(900, 4, 120), "profile": Want(300, 1, 60), "messages": Want(900, 4, held=80)}

    assert divide(room, wants) == {"memory": memory, "profile": profile, "messages": messages}


def test_where_that_is_not_enough_the_last_exchange_stays_alone() -> None:
    assert divide(100, {"memory": Want(900, 4, 120), "messages": Want(900, 4, held=50)}) == {
        "memory": 0,
        "messages": 100,
    }
