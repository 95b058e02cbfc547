"""two_call behind both vendors' protocols: facts, then one decision for all of them."""

import json

import pytest

from memory.entries.restoring import restore_entry
from memory.models import Embedding, EntryState, RevisionEvent, ScratchpadEntry, Tier
from tests.fixtures.turns import PERSON, operations_of
from tests.integration.ingestion.conftest import Told, behind_both_vendors


def begin(told: Told, **candidates: int) -> None:
    told.under("two_call", candidates=candidates)
    told.hear("I live in Porto.", "I have a dog, Rex.", answers=("extract_porto",))


def test_the_first_facts_are_kept_without_a_second_call(told: Told) -> None:
    begin(told)

    assert sorted(told.conversation.contents) == ["Has a dog called Rex", "Lives in Porto"]
    assert {entry.tier for entry in told.conversation.entries} == {Tier.ARCHIVE}
    [porto] = [entry for entry in told.conversation.entries if "Porto" in entry.content]
    assert (porto.type, porto.confidence, porto.importance) == ("identity", 0.95, 0.8)
    assert len(porto.source_message_ids) == 1
    assert told.asked_while_reading == []


@behind_both_vendors
@pytest.mark.parametrize("all_up_to", [0, 20], ids=["looked up", "all shown"])
def test_one_decision_changes_merges_adds_and_knows(told: Told, all_up_to: int) -> None:
    begin(told, all_up_to=all_up_to)

    turn = told.hear(
        "I moved to Lisbon.",
        "Rex is three.",
        "I like green tea.",
        answers=("extract_lisbon", "decide_lisbon"),
    )

    assert sorted(told.conversation.contents) == [
        "Has a dog called Rex, three years old",
        "Likes green tea",
        "Lives in Lisbon",
    ]
    assert told.purposes(turn) == ["extract", "decide"]
    asked = [(purpose, len(texts)) for purpose, texts in told.asked_while_reading]
    assert asked == (
        [] if all_up_to else [("document", 3)]
    )  # one batch, without the fact that is known by hash
    events = [revision.event for revision in told.conversation.revisions if revision.turn_id == turn.id]
    assert sorted(events) == ["add", "add", "none", "supersede", "update"]
    assert {judged["verdict"] for judged in operations_of(turn)} == {"applied", "none"}


def test_what_was_embedded_to_be_decided_on_is_not_embedded_again(told: Told) -> None:
    begin(told, all_up_to=0)

    told.hear("I moved to Lisbon.", "Rex is three.", "Tea.", answers=("extract_lisbon", "decide_lisbon"))

    assert told.embedded_afterwards == [
        "Has a dog called Rex, three years old"
    ]  # the text the decision merged
    assert Embedding.objects.count() == 4  # with the one of what was superseded


def test_what_was_contradicted_is_kept_as_it_held_and_can_be_restored(told: Told) -> None:
    begin(told)
    turn = told.hear(
        "I moved to Lisbon.", "Rex is three.", "I like tea.", answers=("extract_lisbon", "decide_lisbon")
    )

    old = ScratchpadEntry.objects.get(content="Lives in Porto")
    new = ScratchpadEntry.objects.get(content="Lives in Lisbon")
    assert old.state == EntryState.SUPERSEDED
    assert old.valid_to == new.effective_at == turn.occurred_at
    reasons = {revision.entry_id: revision.reason for revision in told.conversation.revisions}
    assert str(new.id) in reasons[old.id] and str(old.id) in reasons[new.id]

    restored = restore_entry(relationship_id=old.relationship_id, entry_id=old.id, by=PERSON)
    assert (restored.state, restored.valid_to) == (EntryState.ACTIVE, None)


def test_facts_that_belong_to_one_entry_are_one_text_that_rests_on_all_their_messages(told: Told) -> None:
    begin(told)
    facts = [
        {"content": "Rex is three", "type": "other", "confidence": 1, "subject": "Rex", "messages": [1]},
        {"content": "Rex can sit", "type": "other", "confidence": 1, "subject": "Rex", "messages": [2]},
    ]
    text = "Has a dog called Rex, three years old, who can sit"
    decisions = [
        {"fact": 1, "op": "UPDATE", "entry": 1, "content": text},
        {"fact": 2, "op": "NONE", "entry": 1},
    ]
    told.server.push({"text": json.dumps({"facts": facts})}, {"text": json.dumps({"decisions": decisions})})

    turn = told.hear("Rex is three.", "Rex can sit.", answers=())

    entry = ScratchpadEntry.objects.get(content=text)
    assert len(entry.source_message_ids) == 3
    assert (entry.subject, entry.importance) == ("user", 0.6)
    assert [judged["verdict"] for judged in operations_of(turn)] == ["none", "applied"]


def test_a_turn_without_facts_costs_one_call_and_no_embedding(told: Told) -> None:
    begin(told)
    revisions = len(told.conversation.revisions)

    turn = told.hear("It rains.", answers=("extract_nothing",))

    assert turn.state == "applied"
    assert told.purposes(turn) == ["extract"]
    assert told.asked_while_reading == []
    assert len(told.conversation.revisions) == revisions


def test_what_is_to_be_forgotten_is_deleted_and_never_kept_itself(told: Told) -> None:
    begin(told)
    told.hear("I moved to Lisbon.", "Rex is three.", "Tea.", answers=("extract_lisbon", "decide_lisbon"))

    turn = told.hear("Forget my dog.", answers=("extract_forget", "decide_forget"))

    assert not any("Rex" in content for content in told.conversation.contents)
    assert [judged["verdict"] for judged in operations_of(turn)] == ["applied"]
    assert told.conversation.revisions[-1].event == RevisionEvent.DELETE


@behind_both_vendors
def test_an_answer_that_is_no_json_is_asked_for_again_once(told: Told) -> None:
    told.under("two_call")
    told.server.push({"text": "I found nothing of note."})

    turn = told.hear("I live in Porto.", "I have a dog.", answers=("extract_porto",))

    assert told.purposes(turn) == ["extract", "extract repair"]
    assert len(told.conversation.contents) == 2


def test_the_published_threshold_is_a_setting(told: Told) -> None:
    """By cosine from .85 nothing is like the new facts: they are added, and no decision is asked for."""
    told.under("two_call", two_call={"similar_from": 0.85})
    told.hear("I live in Porto.", "I have a dog, Rex.", answers=("extract_porto",))

    turn = told.hear("I moved to Lisbon.", "Rex is three.", "Tea.", answers=("extract_lisbon",))

    assert told.purposes(turn) == ["extract"]
    assert {"Lives in Porto", "Lives in Lisbon"} <= set(told.conversation.contents)
