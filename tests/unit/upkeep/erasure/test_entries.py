"""Erasing one entry: what goes with it, what stays, and what a model that is answering meanwhile may do."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection

from memory.entries.editing import revise_entry
from memory.models import EntryRevision, ModelCall
from providers.llm.base import CompletionRequest
from relationships.models import AuditEvent, Message, Relationship, TurnState
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation, add, answer, update
from tests.unit.upkeep.erasure.forgetting import ANA, HERON, NOTHING, erase, texts_with
from upkeep.erasure.entries import erase_entry
from web.errors import NotFound


def test_an_entry_goes_with_the_messages_it_rests_on_and_all_that_was_asked_and_answered(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(
        answer(add(HERON, reason="she showed the heron"), add("Has a sister", messages=[2]))
    )
    conversation.hear("I have a heron on my arm.", "I have a sister.")
    heron = next(entry for entry in conversation.entries if entry.content == HERON)
    place = conversation.number_of(HERON)
    scripted_provider.answer_with(answer(update(place, "Has a tattoo of a big heron", reason="a big heron")))
    conversation.hear("It is a big heron.")
    assert len(texts_with("heron")) >= 6

    counts = erase(conversation, heron)

    assert texts_with("heron") == []
    assert conversation.contents == ["Has a sister"]
    assert counts["message"] == 2 and counts["scratchpad_entry"] == 1
    kept = Message.objects.for_relationship(conversation.relationship.id).get(erased_at=None)
    assert kept.content == "I have a sister."


def test_a_question_that_showed_its_message_for_reference_only_is_emptied_too(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add(HERON)), *[NOTHING] * 3)
    conversation.hear("I have a heron on my arm.")
    entry = conversation.entries[0]
    revise_entry(relationship_id=entry.relationship_id, entry_id=entry.id, values={"tier": "archive"}, by=ANA)
    for said in (
        "It rains.",
        "Still.",
        "And now?",
    ):  # the archive is searched for the last two before it, too
        conversation.hear(said)
    last = ModelCall.objects.for_relationship(entry.relationship_id).latest("recorded_at")
    assert (last.shown_entry_ids, "heron" in last.prompt) == ([], True)

    erase(conversation, entry)

    assert texts_with("heron") == []


def test_its_history_stays_without_words_and_says_who_erased_it(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add(HERON)))
    turn = conversation.hear("I have a heron on my arm.")
    entry = conversation.entries[0]
    revise_entry(
        relationship_id=entry.relationship_id, entry_id=entry.id, values={"content": "Has a heron"}, by=ANA
    )

    erase(conversation, entry)

    added, changed, erased = conversation.revisions
    assert [revision.event for revision in (added, changed, erased)] == ["add", "update", "redact"]
    assert [revision.entry_version for revision in (added, changed, erased)] == [1, 2, 3]
    assert (added.actor_kind, added.turn_id) == ("model", turn.id)
    assert (erased.actor_kind, erased.actor_id) == ("operator", "ana@example.org")
    for revision in (added, changed, erased):
        assert (revision.before, revision.after, revision.reason) == (None, None, "")
        assert revision.redacted_at is not None
    stored_as_null = "SELECT count(*) FROM memory_entryrevision WHERE before IS NULL AND after IS NULL"
    with connection.cursor() as cursor:
        cursor.execute(stored_as_null)
        assert cursor.fetchone()[0] == 3


def test_what_was_erased_is_told_without_words(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add(HERON)))
    conversation.hear("I have a heron on my arm.")
    entry = conversation.entries[0]

    counts = erase(conversation, entry)

    event = AuditEvent.objects.get()
    assert (event.action, event.target_id, event.actor_id) == ("entry.erased", entry.id, "ana@example.org")
    assert event.detail == {"erased": counts}
    assert counts == {
        "scratchpad_entry": 1,
        "message": 1,
        "turn": 1,
        "model_call": 1,
        "entry_revision": 2,
        "search_text": 2,
    }


@pytest.mark.parametrize("where", ["nowhere", "in another relationship"])
def test_an_entry_that_is_not_there_is_named_so(
    where: str, conversation: Conversation, relationship: Relationship
) -> None:
    [entry] = conversation.remember(HERON)
    entry_id, relationship_id = (uuid4(), relationship.id) if where == "nowhere" else (entry.id, uuid4())

    with pytest.raises(NotFound):
        erase_entry(relationship_id=relationship_id, entry_id=entry_id, by=ANA)

    assert conversation.contents == [HERON]


def test_an_answer_on_its_way_brings_nothing_back(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    """The entry is erased while the model answers about it: it is asked again, and the old call keeps no text."""
    scripted_provider.answer_with(answer(add(HERON)))
    conversation.hear("I have a heron on my arm.")
    entry = conversation.entries[0]
    erased: list[UUID] = []

    def erase_meanwhile(_request: object) -> None:
        if not erased:
            erased.append(entry.id)
            erase(conversation, entry)

    scripted_provider.while_answering = erase_meanwhile
    scripted_provider.answer_with(answer(update(1, "Has a tattoo of a big heron")), NOTHING)

    turn = conversation.hear("It is big.")

    assert turn.state == TurnState.APPLIED
    assert texts_with("heron") == []
    assert conversation.contents == []
    overtaken, asked_again = ModelCall.objects.for_relationship(entry.relationship_id).order_by("id")[1:]
    assert overtaken.redacted_at is not None and asked_again.redacted_at is None


def test_an_answer_that_is_overtaken_time_and_again_brings_nothing_back_either(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    """Edits are let pass on the last try. An erasure never is: any part of the answer may quote what was shown."""
    scripted_provider.answer_with(answer(add(HERON), add("Counts to one"), add("Counts to two")))
    conversation.hear("I have a heron on my arm.")
    relationship_id = conversation.relationship.id
    ids = {entry.content: entry.id for entry in conversation.entries}
    order = ["Counts to one", "Counts to two", HERON]

    def change_meanwhile(_request: object) -> None:
        content = order.pop(0) if order else ""
        if content == HERON:
            erase_entry(relationship_id=relationship_id, entry_id=ids[HERON], by=ANA)
        elif content:
            values = {"content": f"{content}!!"}
            revise_entry(relationship_id=relationship_id, entry_id=ids[content], values=values, by=ANA)

    def update_all(request: CompletionRequest) -> dict[str, Any]:
        assert request.prompt_data is not None
        return answer(
            *[update(line.number, f"{line.content} and a heron") for line in request.prompt_data.entries],
            add("Has seen a heron", reason=f"besides {HERON}"),
        )

    scripted_provider.while_answering = change_meanwhile
    scripted_provider.answer_with(update_all, update_all, update_all, NOTHING)
    turn = conversation.hear("Change everything.")

    assert order == [] and turn.state == TurnState.APPLIED
    assert not EntryRevision.objects.filter(entry_id=ids[HERON]).exclude(after=None).exists()
    assert texts_with(HERON) == []
