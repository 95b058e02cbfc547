"""Erasing one entry: what goes with it, what stays, and what a model that is answering meanwhile may do."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from pytest_django import DjangoAssertNumQueries

from memory.models import EntryRevision, EntrySource, HeldDeletion, ModelCall, ScratchpadEntry
from memory.providers.base import CompletionRequest
from memory.services.entries import add_entry, delete_entry, restore_entry, revise_entry
from memory.services.erasure import erase_entry
from relationships.actor import Actor, ActorKind
from relationships.errors import NotFound
from relationships.models import AuditEvent, Message, Relationship, Snapshot, TurnState
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation, add, answer, delete, update

ANA = Actor(ActorKind.OPERATOR, "ana@example.org")
NOTHING: dict[str, list[object]] = {"operations": []}
HERON = "Has a tattoo of a heron"


def erase(conversation: Conversation, entry: ScratchpadEntry, **how: Any) -> dict[str, int]:
    return dict(
        erase_entry(relationship_id=conversation.relationship.id, entry_id=entry.id, by=ANA, **how).counts
    )


def texts_with(word: str) -> list[str]:
    """Which tables still hold the word, in any column."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        tables = [row[0] for row in cursor.fetchall()]
        found = []
        for table in tables:
            cursor.execute(f'SELECT count(*) FROM "{table}" t WHERE t::text ILIKE %s', [f"%{word}%"])
            if cursor.fetchone()[0]:
                found.append(table)
    return sorted(found)


def test_an_entry_goes_with_the_messages_it_rests_on_and_all_that_was_asked_and_answered(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(
        answer(add(HERON, reason="she showed the heron"), add("Has a sister", messages=[2]))
    )
    conversation.hear("I have a heron on my arm.", "I have a sister.")
    heron = next(entry for entry in conversation.entries if entry.content == HERON)
    place = conversation.entries.index(heron) + 1
    scripted_provider.answer_with(answer(update(place, "Has a tattoo of a big heron", reason="a big heron")))
    conversation.hear("It is a big heron.")
    assert len(texts_with("heron")) >= 6

    counts = erase(conversation, heron)

    assert texts_with("heron") == []
    assert conversation.contents == ["Has a sister"]
    assert counts["message"] == 2 and counts["scratchpad_entry"] == 1
    kept = Message.objects.for_relationship(conversation.relationship.id).get(erased_at=None)
    assert kept.content == "I have a sister."


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


def test_the_trace_keeps_numbers_and_verdicts(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add(HERON), add("Has a sister", messages=[2])))
    turn = conversation.hear("I have a heron on my arm.", "I have a sister.")
    entry = next(entry for entry in conversation.entries if entry.content == HERON)

    erase(conversation, entry)

    about_heron, about_sister = conversation.again(turn).operations
    assert about_heron == {
        "operation": {"op": "add", "messages": [1], "erased": True},
        "verdict": "applied",
        "reason": "",
        "entry_id": str(entry.id),
    }
    assert about_sister["operation"]["content"] == "Has a sister"
    call = ModelCall.objects.for_relationship(conversation.relationship.id).get()
    assert (call.system, call.prompt, call.answer, call.error) == ("", "", "", "")
    assert call.redacted_at is not None and call.prompt_tokens is not None


def test_the_conversation_can_be_kept(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add(HERON)))
    conversation.hear("I have a heron on my arm.")

    counts = erase(conversation, conversation.entries[0], messages="keep")

    message = Message.objects.for_relationship(conversation.relationship.id).get()
    assert (message.content, message.erased_at) == ("I have a heron on my arm.", None)
    assert "message" not in counts
    assert texts_with("heron") == ["relationships_message"]


def test_the_words_that_repeated_it_go_too(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    """Said again, it is judged `none`, and the entry does not cite the second message."""
    scripted_provider.answer_with(answer(add(HERON)), answer(add(HERON)))
    conversation.hear("I have a heron on my arm.")
    conversation.hear("Did I tell you of my heron?")
    assert conversation.revisions[1].event == "none"

    counts = erase(conversation, conversation.entries[0])

    assert counts["message"] == 2
    assert texts_with("heron") == []


def test_an_entry_that_was_merged_into_it_keeps_no_copy(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Wears a bird")), answer(add(HERON)), answer(update(2, HERON)))
    conversation.hear("I wear a bird.")
    conversation.hear("I have a tattoo: a heron.")
    conversation.hear("The bird is that heron.")
    heron = conversation.entries[0]
    assert [revision.event for revision in conversation.revisions] == ["add", "add", "merge"]

    erase(conversation, heron)

    assert texts_with("heron") == []
    assert texts_with("Wears a bird") != []


def test_an_operation_that_was_refused_but_says_it_is_emptied(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    """It names no entry: what was forgotten meanwhile is not learnt again from an older turn."""
    early, late = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 3, 5, tzinfo=UTC)
    scripted_provider.answer_with(answer(add(HERON)), answer(delete(1)), answer(add(HERON)))
    conversation.hear("I have a heron on my arm.", at=early)
    entry = conversation.entries[0]
    conversation.hear("Forget the heron.", at=late)
    again = conversation.hear("I have a heron, by the way.", at=early)
    assert [verdict for verdict, _ in conversation.verdicts(again)] == ["refused"]

    erase(conversation, entry)

    assert texts_with("heron") == []


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
    relationship = conversation.relationship
    values = {"content": HERON, "type": "other"}
    first = add_entry(relationship=relationship, values=values, by=ANA, source=EntrySource.MANUAL)
    revise_entry(
        relationship_id=relationship.id, entry_id=first.id, values={"content": "Has a tattoo"}, by=ANA
    )
    second = add_entry(relationship=relationship, values=values, by=ANA, source=EntrySource.MANUAL)

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
    assert [item["reason"] for item in HeldDeletion.objects.get().deletions] == ["", ""]


def test_the_snapshot_forgets_at_once(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add(HERON)))
    conversation.hear("I have a heron on my arm.")

    erase(conversation, conversation.entries[0])

    assert Snapshot.objects.get().scratchpad == []


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
    }


@pytest.mark.parametrize("where", ["nowhere", "in another relationship"])
def test_an_entry_that_is_not_there_is_named_so(
    where: str, conversation: Conversation, relationship: Relationship
) -> None:
    values = {"content": HERON, "type": "other"}
    entry = add_entry(relationship=relationship, values=values, by=ANA, source=EntrySource.MANUAL)
    entry_id, relationship_id = (uuid4(), relationship.id) if where == "nowhere" else (entry.id, uuid4())

    with pytest.raises(NotFound):
        erase_entry(relationship_id=relationship_id, entry_id=entry_id, by=ANA)

    assert conversation.contents == [HERON]


def test_a_long_conversation_costs_no_more_queries(
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    scripted_provider.otherwise = NOTHING
    scripted_provider.answer_with(answer(add(HERON)))
    conversation.hear("I have a heron on my arm.")
    for number in range(12):
        conversation.hear(f"Small talk {number}.")

    with django_assert_max_num_queries(40):
        erase(conversation, conversation.entries[0])


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
        assert request.material is not None
        return answer(
            *[update(line.number, f"{line.content} and a heron") for line in request.material.entries],
            add("Has seen a heron", reason=f"besides {HERON}"),
        )

    scripted_provider.while_answering = change_meanwhile
    scripted_provider.answer_with(update_all, update_all, update_all, NOTHING)
    turn = conversation.hear("Change everything.")

    assert order == [] and turn.state == TurnState.APPLIED
    assert not EntryRevision.objects.filter(entry_id=ids[HERON]).exclude(after=None).exists()
    assert texts_with(HERON) == []
