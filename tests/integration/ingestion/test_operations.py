"""What each operation of an answer does to the entries, through the whole pipeline."""

from datetime import UTC, datetime, timedelta

import pytest

from context.pipeline import build_context
from memory.entries.editing import merge_entries
from memory.entries.history import fields_of
from memory.models import RevisionEvent, ScratchpadEntry
from relationships.models import Message, TurnState
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation, add, answer, delete, operations_of, revise, update
from web.actor import Actor, ActorKind

MARCH = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
PERSON = Actor(ActorKind.OPERATOR, "ana@example.org")


def test_an_added_entry_cites_its_message_and_shows_where_it_came_from(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Lives in Lisbon", type="identity", importance=0.9)))

    turn = conversation.hear("I live in Lisbon.", at=MARCH)

    entry = conversation.entries[0]
    message = Message.objects.for_relationship(conversation.relationship.id).get()
    assert (entry.content, entry.type, entry.importance) == ("Lives in Lisbon", "identity", 0.9)
    assert entry.source_message_ids == [message.id]
    assert entry.effective_at == MARCH
    assert turn.state == TurnState.APPLIED
    revision = conversation.revisions[0]
    assert (revision.event, revision.turn_id, revision.actor_kind) == (RevisionEvent.ADD, turn.id, "model")
    assert revision.model == "scripted-1"
    assert [revision.model_call_id] == turn.model_call_ids
    assert revision.after is not None and revision.after["content"] == "Lives in Lisbon"


def test_a_deleted_entry_leaves_the_list_and_can_be_read_in_history(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Has a dog")), answer(delete(1, reason="asked to forget it")))

    conversation.hear("I have a dog.")
    conversation.hear("Forget about the dog.")

    assert conversation.contents == []
    assert [revision.event for revision in conversation.revisions] == ["add", "delete"]
    assert conversation.revisions[1].reason == "asked to forget it"


@pytest.mark.parametrize(
    ("first", "second"),
    [("Likes coffee", "Doesn't like coffee"), ("Prefers tea over milk", "Prefers milk over tea")],
    ids=["negation", "order"],
)
def test_what_is_merely_similar_is_never_merged(
    conversation: Conversation, scripted_provider: ScriptedProvider, first: str, second: str
) -> None:
    scripted_provider.answer_with(answer(add(first), add(second)))

    conversation.hear("Both.")

    assert sorted(conversation.contents) == sorted([first, second])


def test_an_update_that_says_what_another_entry_says_merges_the_two_visibly(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Likes tea"), add("Likes drinks")))
    conversation.hear("I like tea, and drinks.")
    number = conversation.number_of("Likes drinks")
    ScratchpadEntry.objects.filter(content="Likes drinks").update(tags={"about": "drinks"})
    scripted_provider.answer_with(answer(update(number, "Likes tea")))

    conversation.hear("By drinks I meant tea.")

    assert conversation.contents == ["Likes tea"]
    assert conversation.entries[0].tags == {"about": "drinks"}
    assert conversation.revisions[-1].event == RevisionEvent.MERGE


@pytest.mark.parametrize("by", ["the model", "a person"])
def test_two_entries_made_one_hide_nothing_of_what_was_said(
    conversation: Conversation, scripted_provider: ScriptedProvider, by: str
) -> None:
    """A deleted entry takes the messages it rests on out of every search; to condense the list is no such wish."""
    both = "Ana is a sister in Porto, a nurse"
    scripted_provider.answer_with(answer(add("Ana is a sister in Porto")), answer(add("Ana is a nurse")))
    conversation.hear("My sister Ana is in Porto.")
    conversation.hear("Ana is a nurse.")
    if by == "the model":
        scripted_provider.answer_with(answer(update(1, both), update(2, both)))
        conversation.hear("It rains.")
    else:
        other, kept = conversation.entries
        merge_entries(kept=kept, other=other, content=both, by=PERSON, how="by hand")

    [entry] = conversation.entries
    said = Message.objects.for_relationship(entry.relationship_id)
    assert entry.content == both
    assert set(entry.source_message_ids) == {message.id for message in said}
    shown = build_context(
        project_id=entry.project_id,
        relationship_id=entry.relationship_id,
        message="Which sister is a nurse in Porto?",
        config={"context": {"order": ["episodes"]}},
    ).system
    assert "My sister Ana is in Porto." in shown and "Ana is a nurse." in shown


def test_one_answer_may_replace_a_keyed_entry_twice_and_the_last_stands(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(
        answer(add("Lives in Porto", key="city"), add("Lives in Lisbon", key="city"))
    )

    conversation.hear("I lived in Porto, I live in Lisbon.")

    assert conversation.contents == ["Lives in Lisbon"]


def test_bad_operations_are_refused_one_by_one_and_the_good_one_is_kept(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Drinks tea")))
    conversation.hear("Something.")
    scripted_provider.answer_with(
        {
            "operations": [
                delete(9),
                add("Rests on nothing", messages=[]),
                add("Rests on another message", messages=[7]),
                {"op": "upsert", "content": "?", "messages": [1]},
                "not even an object",
                None,
                update(1, "Drinks green tea"),
                delete(1),
                add("Good"),
            ]
        },
        answer(),
    )

    turn = conversation.hear("Something else.")

    assert sorted(conversation.contents) == ["Drinks green tea", "Good"]
    assert [verdict for verdict, _ in conversation.verdicts(turn)] == ["refused"] * 6 + [
        "applied",
        "refused",
        "applied",
    ]
    reasons = " | ".join(reason for _, reason in conversation.verdicts(turn))
    assert "entry 9 was not shown" in reasons
    assert "rests on no new message" in reasons
    assert "changed by an earlier operation" in reasons


def test_a_read_only_entry_is_not_changed_by_a_model(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Allergic to nuts")))
    conversation.hear("I'm allergic to nuts.")
    entry = conversation.entries[0]
    revise(entry, read_only=True)
    scripted_provider.answer_with(answer(delete(1)))

    turn = conversation.hear("Forget it.")

    assert conversation.contents == ["Allergic to nuts"]
    assert conversation.verdicts(turn) == [("refused", "entry 1 is read-only")]


def test_what_comes_to_say_the_same_as_a_read_only_entry_leaves_it_as_it_is(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Has allergies")
    kept = conversation.remember("Allergic to nuts")[0]
    values = {"read_only": True, "expires_at": datetime(2100, 1, 1, tzinfo=UTC)}
    locked = revise(kept, **values)
    number = conversation.number_of("Has allergies")
    scripted_provider.answer_with(answer(update(number, "Allergic to nuts", happens_at="2026-03-01")))

    turn = conversation.hear("To nuts, since yesterday.")

    assert conversation.verdicts(turn)[0][0] == "applied"
    assert [fields_of(entry) for entry in conversation.entries] == [fields_of(locked)]


def test_a_back_filled_old_turn_does_not_overrule_a_newer_fact(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Lives in Lisbon", key="city")))
    conversation.hear("I live in Lisbon.", at=MARCH)
    scripted_provider.answer_with(
        answer(update(1, "Lives in Porto"), add("Lives in Porto", key="city"), add("Was in Porto in 2025"))
    )

    turn = conversation.hear("I live in Porto.", at=MARCH - timedelta(days=300))

    assert sorted(conversation.contents) == ["Lives in Lisbon", "Was in Porto in 2025"]
    assert [verdict for verdict, _ in conversation.verdicts(turn)] == ["refused", "refused", "applied"]


def test_what_was_forgotten_later_is_not_brought_back_by_an_older_turn(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Has a dog, Rex")), answer(delete(1)))
    conversation.hear("My dog is Rex.", at=MARCH)
    conversation.hear("Forget the dog.", at=MARCH + timedelta(days=1))
    scripted_provider.answer_with(answer(add("Has a dog, Rex")))

    turn = conversation.hear("Rex barks.", at=MARCH + timedelta(hours=1))

    assert conversation.contents == []
    assert conversation.verdicts(turn) == [("refused", "was deleted after the turn this rests on")]


def test_each_turn_of_a_batch_gets_its_own_operations_and_dates(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    first = conversation.say("I run.", at=MARCH)
    second = conversation.say("I swim.", at=MARCH + timedelta(days=1))
    scripted_provider.answer_with(answer(add("Runs", messages=[1]), add("Swims", messages=[2])))

    conversation.drain()

    assert len(scripted_provider.requests) == 1
    assert [len(operations_of(turn)) for turn in (first, second)] == [1, 1]
    assert {entry.content: entry.effective_at for entry in conversation.entries} == {
        "Runs": MARCH,
        "Swims": MARCH + timedelta(days=1),
    }
