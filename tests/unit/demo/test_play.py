from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from demo.errors import DemoFailed
from demo.play import Change, Player, Usage, turn_body
from demo.rest import Rest
from providers.errors import RateLimited, Unauthorized
from relationships.models import Relationship, Turn
from relationships.services.turns import NewMessage, NewTurn
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import add, answer, delete, update
from tests.unit.demo.rest_in_process import InProcess

BEGINS = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


def told(*texts: str, minutes: int = 0) -> NewTurn:
    messages = [NewMessage("user", text) for text in texts]
    return NewTurn(messages, occurred_at=BEGINS + timedelta(minutes=minutes), session="one")


def test_each_turn_tells_what_it_changed(
    rest: Rest, relationship: Relationship, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(
        answer(add("Has a dog", type="relationship")),
        answer(update(1, "Has a dog named Bruno")),
        answer(add("Has a dog named Bruno")),
        answer(delete(1)),
    )
    turns = [
        told(text, minutes=place) for place, text in enumerate(("A dog!", "Bruno.", "Bruno!", "Forget him."))
    ]

    played = list(Player(rest, relationship.id, turns).play())

    assert [turn.changes for turn in played] == [
        [Change("add", "relationship", "Has a dog")],
        [Change("update", "relationship", "Has a dog named Bruno", before="Has a dog")],
        [Change("none", "relationship", "Has a dog named Bruno")],
        [Change("delete", "relationship", "Has a dog named Bruno")],
    ]
    assert [(turn.number, turn.state) for turn in played] == [
        (1, "applied"),
        (2, "applied"),
        (3, "applied"),
        (4, "applied"),
    ]
    assert list(Turn.objects.values_list("occurred_at", flat=True).order_by("seq")) == [
        turn.occurred_at for turn in turns
    ]


def test_a_refusal_is_shown_with_its_reason(
    rest: Rest, relationship: Relationship, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Has a dog", messages=[]), {"op": "dance"}))

    [played] = Player(rest, relationship.id, [told("A dog!")]).play()

    assert [(change.kind, change.content) for change in played.changes] == [
        ("refused", "Has a dog"),
        ("refused", "dance"),
    ]
    assert all(change.reason for change in played.changes)


def test_turns_handed_over_ahead_are_read_together(
    rest: Rest, relationship: Relationship, scripted_provider: ScriptedProvider, transport: InProcess
) -> None:
    scripted_provider.otherwise = answer()
    turns = [told(f"Line {number}", minutes=number) for number in range(5)]
    posts = []

    for _ in Player(rest, relationship.id, turns, ahead=4).play():
        posts.append(transport.posts)

    assert posts == [4, 4, 5, 5, 5]  # in blocks, and never again once they are settled
    assert set(Turn.objects.values_list("state", flat=True)) == {"applied"}


def test_a_turn_that_is_not_settled_yet_is_waited_for_and_known_as_the_same(
    rest: Rest, relationship: Relationship, scripted_provider: ScriptedProvider, transport: InProcess
) -> None:
    scripted_provider.otherwise = answer()
    transport.idle_posts = 2  # the worker comes late

    [played] = Player(rest, relationship.id, [told("Rain")]).play()

    assert played.state == "applied"
    assert transport.posts == 3
    assert Turn.objects.count() == 1


def test_the_reason_for_a_retry_is_shown_once(
    rest: Rest, relationship: Relationship, scripted_provider: ScriptedProvider, settings: Settings
) -> None:
    settings.RETRY_BASE_SECONDS = 0.01
    scripted_provider.answer_with(RateLimited("slow down"), RateLimited("slow down"), answer())
    told_trouble: list[str] = []

    [played] = Player(rest, relationship.id, [told("Rain")], trouble=told_trouble.append).play()

    assert played.state == "applied"
    assert told_trouble == ["turn 1 is tried again: slow down"]


def test_errors_that_only_a_person_can_fix_are_not_waited_for(
    rest: Rest, relationship: Relationship, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(Unauthorized("The key is wrong."))
    with pytest.raises(DemoFailed, match=r"Turn 1 is not remembered yet: The key is wrong\. It is stored"):
        list(Player(rest, relationship.id, [told("Rain")]).play())


def test_a_call_is_counted_once_however_many_turns_show_it() -> None:
    usage = Usage()
    call: dict[str, Any] = {"id": "1", "prompt_tokens": 10, "output_tokens": None, "cost": "0.5"}
    for _ in range(2):
        usage.add(call)
    usage.add({**call, "id": "2"})
    assert (len(usage.calls), usage.tokens, usage.cost) == (2, 20, 1.0)


def test_one_unknown_price_makes_the_whole_cost_unknown() -> None:
    usage = Usage()
    usage.add({"id": "1", "prompt_tokens": 1, "output_tokens": 1, "cost": None})
    usage.add({"id": "2", "prompt_tokens": 1, "output_tokens": 1, "cost": "0.5"})
    assert usage.cost is None


@pytest.mark.parametrize("dated", [True, False])
def test_a_message_has_its_own_time_only_if_it_was_given_one(dated: bool) -> None:
    message = NewMessage("user", "Rain", "Ann", BEGINS if dated else None)
    body = turn_body(NewTurn([message], occurred_at=BEGINS, session="one"))
    assert body["occurred_at"] == "2023-05-08T13:56:00+00:00"
    assert ("occurred_at" in body["messages"][0]) is dated
