"""Where else an entry's words are, and what is left alone."""

import pytest

from memory.entries.adding import add_entry
from memory.entries.editing import delete_entry, revise_entry
from memory.entries.restoring import restore_entry
from memory.models import EntrySource, HeldDeletion, OperationResult, ScratchpadEntry
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation, add, answer, delete
from tests.unit.upkeep.erasure.forgetting import ANA, HERON, erase, texts_with
from web.errors import NotFound


def test_a_deleted_twin_goes_with_it_and_an_active_one_stays(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    relationship = conversation.relationship
    twins = [
        add_entry(
            relationship=relationship,
            values={"content": HERON, "type": kind},
            by=ANA,
            source=EntrySource.MANUAL,
        )
        for kind in ("identity", "preference", "other")
    ]
    delete_entry(relationship_id=relationship.id, entry_id=twins[0].id, by=ANA)

    counts = erase(conversation, twins[1])

    left = ScratchpadEntry.objects.for_relationship(relationship.id).get()
    assert left.id == twins[2].id and counts["scratchpad_entry"] == 2
    assert [
        revision.after is None for revision in conversation.revisions if revision.entry_id == left.id
    ] == [False]
    with pytest.raises(NotFound):
        restore_entry(relationship_id=relationship.id, entry_id=twins[0].id, by=ANA)


def test_what_another_entry_said_before_goes_where_it_is_the_same(
    conversation: Conversation,
) -> None:
    [first] = conversation.remember(HERON)
    values = {"content": "Has a tattoo"}
    revise_entry(relationship_id=first.relationship_id, entry_id=first.id, values=values, by=ANA)
    [second] = conversation.remember(HERON)

    erase(conversation, second)

    assert texts_with("heron") == []
    assert conversation.contents == ["Has a tattoo"]


def test_reasons_that_quote_it_go_and_their_entries_stay(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(
        answer(add(HERON)),
        answer(add("Draws birds", reason=f"goes with {HERON.lower()!r}")),
        answer(delete(2, reason="asked to"), delete(1, reason=f"says as much as {HERON}")),
    )
    conversation.relationship.__class__.objects.filter(id=conversation.relationship.id).update(
        config={"ingestion": {"deletion_hold": {"share": 0, "count": 1}}}
    )
    conversation.hear("I have a heron on my arm.")
    heron = conversation.entries[0]
    conversation.hear("I draw.")
    conversation.hear("Forget it all.")
    assert HeldDeletion.objects.get().state == "waiting"

    erase(conversation, heron)

    assert texts_with("heron") == []
    assert conversation.contents == ["Draws birds"]
    assert [item.held_reason for item in OperationResult.objects.exclude(held_id=None)] == ["", ""]
