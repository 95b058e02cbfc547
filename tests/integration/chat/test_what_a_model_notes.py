"""What a model notes by memory_add is remembered, and was said by nobody: not by the person, in no session of theirs."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from behaviours.tasks import look_at_turns_read
from context.pipeline import build_context
from memory.ingestion.intake import accept_turn
from relationships.models import Message, Relationship, SessionState, Turn
from relationships.services.turns import NewMessage, NewTurn
from tests.fakes import ScriptedProvider
from tests.fixtures.api import Api
from tests.fixtures.behaviours import behave, outbox_of, work
from tests.fixtures.turns import Conversation, add, answer

NOTE = "Prefers green tea"


def note(api: Api, relationship: Relationship, content: str = NOTE) -> Turn:
    given = {"content": content, "category": "preference"}
    told = api.post(f"/relationships/{relationship.id}/tools/memory_add", given)
    assert told.status == 200, told
    turn: Turn = Turn.objects.for_relationship(relationship.id).get(id=told.body["turn"])
    return turn


def test_a_note_becomes_memory_that_rests_on_the_note(
    api: Api, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add(NOTE)))
    turn = note(api, conversation.relationship)
    conversation.drain()

    [asked] = scripted_provider.requests
    assert f"[1] Ada's note (tool): {NOTE}" in asked.prompt
    assert "Ada's note is what Maya told Ada" in asked.system and '"wishes"' not in asked.system
    [entry], [revision] = conversation.entries, conversation.revisions
    [message] = Message.objects.filter(turn_id=turn.id)
    assert entry.source_message_ids == [message.id] and revision.turn_id == turn.id
    assert (message.role, message.speaker, message.metadata) == (
        "tool",
        "Ada's note",
        {"category": "preference"},
    )


def test_a_note_is_not_part_of_the_conversation(api: Api, relationship: Relationship) -> None:
    note(api, relationship)

    relationship.refresh_from_db()
    assert relationship.last_turn_at is None
    assert not SessionState.objects.for_relationship(relationship.id).exists()
    asked: dict[str, Any] = {"project_id": relationship.project_id, "relationship_id": relationship.id}
    context = build_context(**asked, message="Green tea?", session="new")
    assert [one["content"] for one in context.messages] == ["Green tea?"] and NOTE not in context.system


def test_a_note_is_not_the_persons_turn_but_its_entries_can_trigger_a_behaviour(
    api: Api, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    welcome = {"message": "Welcome!", "when": {"first_turn": "ever"}}
    missed = {"message": "You were away.", "when": {"gap_minutes": 1440}}
    told = {"message": "Noted: {{ entries[0].content }}", "when": {"entry": {"event": "added"}}}
    scripted_provider.answer_with(answer(add(NOTE)), answer(), answer(add("Drinks it cold")), answer())
    note(api, conversation.relationship)
    conversation.drain()
    behave(conversation.relationship, welcome=welcome, missed=missed, told=told)

    now = timezone.now()
    conversation.hear("Hi", at=now - timedelta(days=2), session="first")
    note(api, conversation.relationship)
    conversation.hear("Hi again", at=now, session="second")
    look_at_turns_read(now)
    work(conversation)

    assert outbox_of(conversation) == ["Noted: Drinks it cold", "Welcome!", "You were away."]


@pytest.mark.parametrize(
    ("mode", "due"),
    [("every_turn", True), ("every_n_turns", True), ("session_end", True), ("explicit", False)],
)
def test_a_note_does_not_wait_for_the_session_to_end(
    api: Api, companion: Any, relationship: Relationship, mode: str, due: bool
) -> None:
    companion.config["ingestion"] = {"trigger": {"mode": mode}, "roles": ["user"]}
    companion.save()

    turn = note(api, relationship)

    assert turn.state == "pending" and (turn.due_at is not None) is due


def test_a_tools_result_in_a_conversation_stays_in_it(relationship: Relationship) -> None:
    said = [NewMessage("user", "Weather?"), NewMessage("assistant", "[calls it]"), NewMessage("tool", "Rain")]
    accept_turn(relationship=relationship, new=NewTurn(said, timezone.now(), session="walk"))
    asked: dict[str, Any] = {"project_id": relationship.project_id, "relationship_id": relationship.id}

    here = build_context(**asked, message="So?", session="walk").messages
    elsewhere = build_context(**asked, message="So?", session="new").messages

    assert "[tool result] Rain" in here[-2]["content"]
    assert [one["content"] for one in elsewhere] == ["Weather?", "[calls it]", "So?"]


def test_a_note_is_read_again_by_a_preview(
    api: Api, relationship: Relationship, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add(NOTE)))
    asked = {"relationship": str(relationship.id), "turns": [str(note(api, relationship).id)]}

    told = api.post(f"/companions/{relationship.companion_id}/prompts/preview", asked)

    assert told.status == 200 and [one["content"] for one in told.body["entries"]] == [NOTE]
