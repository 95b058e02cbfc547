"""Asynchronous behaviours: looked at once for each turn, done by a worker, and told in a row."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from behaviours.models import BehaviourRun
from behaviours.tasks import look_at_turns_read, run_owed
from memory.models import ModelCall, RevisionEvent
from relationships.models import Profile, SessionState
from relationships.services.users import change_user
from tests.fakes import ScriptedProvider
from tests.fixtures.behaviours import behave, message_of, outbox_of, runs_of, work
from tests.fixtures.turns import PERSON, Conversation, add, answer

GREET = {"message": "Hello {{ user }}: {{ message }}", "when": {"keywords": ["hello"]}}


def test_a_behaviour_queues_a_message_and_says_so(conversation: Conversation) -> None:
    behave(conversation.relationship, greet=GREET)
    turn = conversation.say("Hello there")
    conversation.say("Nothing of that kind")

    assert work(conversation) == 2

    [run] = runs_of(conversation)
    assert outbox_of(conversation) == ["Hello Maya: Hello there"]
    assert (run.behaviour, run.kind, run.action, run.state) == ("greet", "async", "message", "done")
    assert (run.turn_id, run.rendered, run.outcome) == (
        turn.id,
        "Hello Maya: Hello there",
        "Queued in the outbox.",
    )
    assert run.milliseconds is not None and run.fired_at is not None and run.settled_at is not None


def test_it_does_so_once_however_often_it_is_asked(conversation: Conversation) -> None:
    behave(conversation.relationship, greet=GREET)
    conversation.say("Hello there")

    assert [work(conversation), work(conversation)] == [1, 0]
    assert run_owed(timezone.now() + timedelta(hours=1)) == 0
    assert len(outbox_of(conversation)) == 1


def test_without_behaviours_a_turn_costs_no_statement_more(
    conversation: Conversation, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    conversation.say("Warm")
    with django_assert_num_queries(5) as plain:
        conversation.say("Hello there")

    said = [str(query["sql"]) for query in plain.captured_queries]  # None: prepared, and of the six
    assert not [sql for sql in said if "behaviours_" in sql or "summaries_" in sql]


def test_nothing_runs_while_the_person_has_paused(conversation: Conversation) -> None:
    behave(conversation.relationship, greet=GREET)
    user = conversation.relationship.user
    change_user(user_id=user.id, project_id=user.project_id, changes={"ingestion_paused": True}, by=PERSON)

    conversation.say("Hello there")

    assert runs_of(conversation) == []


def test_a_relationship_can_turn_one_off(conversation: Conversation) -> None:
    behave(conversation.relationship, greet=GREET)
    conversation.relationship.config = {"behaviours": {"named": {"greet": {"enabled": False}}}}
    conversation.relationship.save()

    conversation.say("Hello there")

    assert runs_of(conversation) == []


def test_they_run_in_order_and_rest_after_it(conversation: Conversation) -> None:
    behave(
        conversation.relationship,
        second={"message": "second", "order": 2},
        first={"message": "first", "order": 1, "cooldown_minutes": 60},
    )
    conversation.say("One")
    conversation.say("Two")

    work(conversation)

    assert outbox_of(conversation) == ["first", "second", "second"]


def test_turns_are_counted_and_gaps_measured_as_they_were_said(conversation: Conversation) -> None:
    behave(
        conversation.relationship,
        third={"message": "third {{ turn }}", "when": {"every_n_turns": 3}},
        back={"message": "welcome back", "when": {"gap_minutes": 60}},
        new={"message": "new", "when": {"first_turn": "session"}},
        ever={"message": "ever", "when": {"first_turn": "ever"}},
    )
    start = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    for minutes in (0, 5, 90, 95, 96, 97):
        conversation.say("x", at=start + timedelta(minutes=minutes))
    conversation.say("x", at=start + timedelta(minutes=98), session="other")

    work(conversation)

    assert sorted(outbox_of(conversation)) == [
        "ever", "new", "new", "third 3", "third 6", "welcome back",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("into", "written"),
    [("profile", lambda pair: Profile.objects.get().data), ("session", lambda pair: SessionState.objects.get().state)],
)  # fmt: skip
def test_an_answer_is_merged_into_the_profile_or_the_session(
    into: str, written: object, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    behave(
        conversation.relationship,
        mood={"prompt": {"prompt": "What mood is this? {{ message }} {{ profile.plan | default('none') }}", "into": into}},
    )  # fmt: skip
    scripted_provider.answer_with('Sure: {"mood": "low"}')
    turn = conversation.say("Leave me alone")

    work(conversation)

    [run] = runs_of(conversation)
    assert written(conversation.relationship) == {"mood": "low"}  # type: ignore[operator]
    assert (run.state, run.rendered) == ("done", "What mood is this? Leave me alone none")
    assert run.answer == 'Sure: {"mood": "low"}'
    call = ModelCall.objects.get(id=run.model_call_ids[0])
    assert (call.purpose, call.turn_ids) == ("behaviour", [turn.id])
    assert (run.prompt_tokens, run.output_tokens) == (call.prompt_tokens, call.output_tokens)


@pytest.mark.parametrize(
    "answer",
    ['{"mood": "l\\u0000w"}', '{"mood": "\\ud83d"}', '{"mood": ' * 300 + "1" + "}" * 300, '{"mood": "low"} \ud83d', '{"mood": 1e30}'],
    ids=["NUL", "half a character", "depth", "half a character beside it", "digits"],
)  # fmt: skip
def test_an_answer_that_can_not_be_stored_is_reported(
    answer: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    behave(conversation.relationship, mood={"prompt": {"prompt": "Mood?", "into": "profile"}})
    scripted_provider.answer_with(answer)
    conversation.say("Hi")

    work(conversation)

    [run] = runs_of(conversation)
    kept = Profile.objects.values_list("data", flat=True).first()
    assert (run.error_code, kept) in [("unparsable_answer", None), ("", {"mood": "low"})]


def test_an_answer_that_does_not_fit_the_schema_is_not_written(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    companion = conversation.relationship.companion
    companion.config |= {"profile": {"json_schema": {"properties": {"mood": {"enum": ["low", "high"]}}}}}
    companion.save()
    behave(conversation.relationship, mood={"prompt": {"prompt": "Mood?", "into": "profile"}})
    scripted_provider.answer_with({"mood": "purple"})
    conversation.say("Hi")

    work(conversation)

    [run] = runs_of(conversation)
    assert (run.state, run.error_code) == ("failed", "invalid")
    assert "mood" in run.error
    assert not Profile.objects.exists()
    assert ModelCall.objects.count() == 1, "it was asked and paid for"


def test_an_entry_is_judged_as_any_other(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    behave(
        conversation.relationship,
        note={"prompt": {"prompt": "One thing worth keeping?", "into": "entry", "type": "goal"}},
    )
    scripted_provider.answer_with("Wants a boat", "Wants  a boat")
    first = conversation.say("I want a boat")
    conversation.say("A boat, I said")

    work(conversation)

    [entry] = conversation.entries
    assert (entry.content, entry.type, entry.source_message_ids) == (
        "Wants a boat",
        "goal",
        [message_of(first)],
    )
    assert [run.outcome for run in runs_of(conversation)] == [
        "Entry applied.",
        "Entry none: says exactly what is known already.",
    ]
    assert [revision.event for revision in conversation.revisions] == [RevisionEvent.ADD, RevisionEvent.NONE]
    assert conversation.revisions[0].model_call_id == runs_of(conversation)[0].model_call_ids[0]


@pytest.mark.parametrize("said", ["NONE.", "**None**", "{}"])
def test_where_there_is_nothing_to_remember_the_model_can_say_so(
    conversation: Conversation, scripted_provider: ScriptedProvider, said: str
) -> None:
    note = {"prompt": "Any plans to travel?", "into": "entry", "type": "goal"}
    behave(conversation.relationship, note={"prompt": note})
    scripted_provider.answer_with(said)
    conversation.say("Good soup today")

    work(conversation)

    assert "with NONE where there is nothing to remember" in scripted_provider.requests[-1].system
    assert [run.outcome for run in runs_of(conversation)] == ["There was nothing to remember."]
    assert conversation.contents == []


def test_a_model_may_word_a_message_to_the_person_or_say_that_there_is_none(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    behave(conversation.relationship, ask={"prompt": {"prompt": "On: {{ message }}", "into": "message"}})
    scripted_provider.answer_with("How was the <b>boat</b>, Maya?\nAnd Ana?", "None.")
    conversation.say("I bought a boat")
    conversation.say("Good soup today")

    work(conversation)

    assert "the message to the person alone" in scripted_provider.requests[0].system
    assert outbox_of(conversation) == ["How was the <b>boat</b>, Maya?\nAnd Ana?"]
    runs = [(run.rendered, run.outcome) for run in runs_of(conversation)]
    assert runs == [
        ("On: I bought a boat", "Queued in the outbox."),
        ("On: Good soup today", "There was nothing to say."),
    ]


def test_one_that_asks_for_entries_waits_until_the_turn_is_read(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    behave(
        conversation.relationship,
        cheer={
            "message": "You can do it: {{ entries[0].content }}",
            "when": {"entry": {"types": ["goal"], "event": "added"}},
        },
    )
    scripted_provider.answer_with(answer(add("Wants a boat", type="goal")), answer(add("Likes tea")))
    conversation.say("I want a boat")
    assert (work(conversation), look_at_turns_read(timezone.now())) == (0, 0)

    conversation.drain()
    conversation.hear("I like tea")

    assert look_at_turns_read(timezone.now()) == 2
    work(conversation)
    assert outbox_of(conversation) == ["You can do it: Wants a boat"]


def test_a_schedule_runs_at_its_times_and_owes_the_next(conversation: Conversation) -> None:
    conversation.relationship.timezone = "Europe/Lisbon"
    conversation.relationship.save()
    behave(
        conversation.relationship,
        morning={"message": "Good morning, {{ user }}, {{ time }}", "when": {"schedule": "0 9 * * *"}},
    )
    conversation.say("Hi")
    conversation.say("Hi again")

    [owed] = runs_of(conversation)
    assert owed.due_at is not None and owed.due_at > timezone.now()
    assert work(conversation) == 0

    nine = owed.due_at - timedelta(days=1)
    BehaviourRun.objects.filter(id=owed.id).update(due_at=nine, occasion=f"at:{nine.isoformat()}")
    assert work(conversation) == 1

    assert outbox_of(conversation) == ["Good morning, Maya, 09:00"]
    done, following = runs_of(conversation)
    assert (done.state, following.state) == ("done", "pending")
    assert following.due_at == owed.due_at


def test_a_removed_behaviour_does_nothing(conversation: Conversation) -> None:
    behave(conversation.relationship, greet=GREET)
    conversation.say("Hello there")
    behave(conversation.relationship, greet=None)

    work(conversation)

    assert (runs_of(conversation), outbox_of(conversation)) == ([], [])
