"""Which turns are read, when, and which of their words."""

from typing import Any

import pytest
from django.utils import timezone
from django_q.models import OrmQ

from memory.ingestion.intake import accept_turn
from memory.ingestion.prompt_versions import create_prompt
from memory.ingestion.triggers import read_ended_sessions
from providers.errors import ContentBlocked
from relationships.models import Turn, TurnState
from relationships.services.sessions import end_session
from relationships.services.turns import NewMessage, NewTurn
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import PERSON, Conversation, add, answer, delete

NOTHING: dict[str, list[object]] = {"operations": []}


def test_memory_that_was_injected_into_a_message_is_not_read_again(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.otherwise = NOTHING

    conversation.hear("Hello. <rapport_memory>\nHas a dog\n</rapport_memory>")
    turn = conversation.hear("<rapport_memory>\nHas a cat\n</rapport_memory>")

    assert "Has a dog" not in scripted_provider.requests[0].prompt
    assert turn.state == TurnState.APPLIED
    assert len(scripted_provider.requests) == 1  # nothing was left to ask about


def test_a_message_a_deleted_entry_rests_on_is_not_shown_again(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Has a dog, Rex")), answer(delete(1)), NOTHING)
    conversation.hear("My dog is called Rex.")
    conversation.hear("Forget about my dog.")

    conversation.hear("Nice weather.")

    assert "Rex" not in scripted_provider.requests[2].prompt
    assert "Forget about" not in scripted_provider.requests[2].prompt


def test_turns_that_wait_for_the_sessions_end_are_due_when_it_has_ended(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.otherwise = NOTHING
    trigger = {"trigger": {"mode": "session_end"}}
    turn = conversation.say("a", session="monday", ingestion=trigger)
    other = conversation.say("b", session="tuesday", ingestion=trigger)
    assert read_ended_sessions(timezone.now()) == 0

    end_session(relationship=conversation.relationship, session="monday", by=PERSON)

    ended = conversation.again(turn)
    assert (ended.due_at is not None, ended.waits_for) == (True, "")
    assert OrmQ.objects.count() == 1
    Turn.objects.for_relationship(turn.relationship_id).filter(id=turn.id).update(
        due_at=None, waits_for="session_end"
    )  # as if that had been lost
    assert read_ended_sessions(timezone.now()) == 1
    conversation.drain()
    assert [conversation.again(waiting).state for waiting in (turn, other)] == ["applied", "pending"]


def test_what_was_refused_or_said_during_a_pause_is_not_shown_with_later_turns(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(NOTHING, ContentBlocked("no"), NOTHING)
    conversation.hear("It rains.")
    conversation.hear("poison")
    conversation.say("Between us.", ingestion={"enabled": False})

    conversation.hear("It snows.")

    prompt = scripted_provider.requests[2].prompt
    assert "It rains." in prompt
    assert "poison" not in prompt
    assert "Between us." not in prompt


def test_a_list_that_is_too_long_is_shown_from_its_newest_end_and_says_so(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember(*(f"Fact number {number:02}, told at some length" for number in range(40)))
    scripted_provider.answer_with(NOTHING)

    conversation.hear("It rains.", ingestion={"shown_budget": 200})

    prompt = scripted_provider.requests[0].prompt
    shown = [number for number in range(40) if f"Fact number {number:02}" in prompt]
    assert 0 < len(shown) < 40
    assert shown == list(range(40 - len(shown), 40))
    assert f"({40 - len(shown)} older entries are not shown.)" in prompt


def test_neither_new_nor_earlier_messages_of_a_role_that_is_not_read_are_shown(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.otherwise = NOTHING
    for said, noted in (("It rains.", "Mood: low"), ("It snows.", "Mood: high")):
        messages = [NewMessage("system", noted), NewMessage("user", said)]
        new = NewTurn(messages, occurred_at=timezone.now())
        accept_turn(relationship=conversation.relationship, new=new)
        conversation.drain()

    prompt = scripted_provider.requests[1].prompt
    assert "It rains." in prompt and "It snows." in prompt
    assert "Mood" not in prompt


def test_the_nth_turn_leaves_alone_what_waits_for_something_else(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.otherwise = NOTHING
    asked_for = conversation.say("a", ingestion={"trigger": {"mode": "explicit"}})
    trigger = {"trigger": {"mode": "every_n_turns", "n": 2}}
    counted = [conversation.say(text, ingestion=trigger) for text in "bc"]

    conversation.drain()

    assert [conversation.again(turn).state for turn in counted] == ["applied", "applied"]
    assert conversation.again(asked_for).state == "pending"


@pytest.mark.parametrize(
    ("level", "told"),
    [({}, "Keep names."), ({"prompt_version": 1}, "Keep cats."), ({"prompt_version": 0}, "What to keep:")],
    ids=["published", "a version", "Rapport's own"],
)
def test_the_prompt_is_in_the_cascade_down_to_the_turn(
    conversation: Conversation, scripted_provider: ScriptedProvider, level: dict[str, Any], told: str
) -> None:
    companion = conversation.relationship.companion
    for template in ("Keep cats.", "Keep names."):
        create_prompt(companion=companion, template=template, note="", by=PERSON, publish=True)
    scripted_provider.answer_with({"operations": []})

    turn = conversation.hear("I have a cat.", ingestion=level)

    assert told in scripted_provider.requests[-1].system
    assert turn.prompt_version == (level.get("prompt_version", 2) or None)
