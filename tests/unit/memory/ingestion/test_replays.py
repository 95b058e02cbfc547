from datetime import timedelta

import pytest
from django.utils import timezone
from django_q.models import OrmQ
from pytest_django.fixtures import Settings
from structlog.testing import capture_logs

from memory.errors import InvalidTemplate
from memory.ingestion.replays import (
    KEPT,
    MOST_ATTEMPTS,
    drop_old_replays,
    enqueue_owed_replays,
    request_replay,
    run_replay,
)
from memory.models import Replay, ReplayState
from providers.errors import ContentBlocked, ProviderUnavailable
from relationships.ids import uuid7
from relationships.models import Relationship
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import PERSON, Conversation, add, answer
from upkeep.erasure.entries import erase_entry
from web.errors import InvalidInput
from worker.models.queued import WORKER_DIED


def ask(conversation: Conversation) -> Replay:
    turn = conversation.say("I live in Porto.")
    return request_replay(
        relationship=conversation.relationship, template="Keep it.", turn_ids=[turn.id], by=PERSON
    )


def run(replay: Replay) -> Replay:
    run_replay(relationship_id=replay.relationship_id, replay_id=replay.id)
    done: Replay = Replay.objects.get()
    return done


def test_both_prompts_are_tried_and_each_outcome_is_kept(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Lives in Porto")), answer())

    replay = run(ask(conversation))

    assert replay.state == ReplayState.DONE
    assert [entry["content"] for entry in replay.results["published"]["entries"]] == ["Lives in Porto"]
    assert replay.results["draft"]["entries"] == []
    assert "Keep it." in scripted_provider.requests[-1].system


def test_a_passing_failure_is_tried_again_from_where_it_stopped(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    away = ProviderUnavailable("Away.")
    scripted_provider.answer_with(away, answer(), away)
    replay = run(ask(conversation))
    Replay.objects.for_relationship(replay.relationship_id).update(due_at=timezone.now())
    replay = run(replay)
    assert (replay.state, list(replay.results)) == (ReplayState.PENDING, ["published"])
    assert replay.attempts == 1, "a step that is done ends the count"
    assert replay.due_at is not None and replay.due_at > timezone.now()

    Replay.objects.for_relationship(replay.relationship_id).update(due_at=timezone.now())
    scripted_provider.answer_with(answer())
    assert run(replay).state == ReplayState.DONE
    assert len(scripted_provider.requests) == 4


def test_a_failure_for_good_is_said(conversation: Conversation, scripted_provider: ScriptedProvider) -> None:
    scripted_provider.answer_with(ContentBlocked("The vendor refused."))

    with capture_logs() as logs:
        replay = run(ask(conversation))

    assert (replay.state, replay.error) == (ReplayState.FAILED, "The vendor refused.")
    assert [(line["event_name"], line["code"], line["relationship_id"]) for line in logs] == [
        ("replay.failed", replay.error_code, str(replay.relationship_id))
    ]


def test_one_whose_worker_died_is_enqueued_again_and_given_up_in_the_end(conversation: Conversation) -> None:
    replay = ask(conversation)
    OrmQ.objects.all().delete()
    later = timezone.now() + timedelta(minutes=1)

    assert enqueue_owed_replays(later) == 1
    assert OrmQ.objects.count() == 1

    rows = Replay.objects.for_relationship(replay.relationship_id)
    rows.update(attempts=MOST_ATTEMPTS - 1)
    assert rows.claim(worker="elsewhere:1:1", now=later)
    rows.update(lease_until=later)
    with capture_logs() as logs:
        enqueue_owed_replays(later)
    assert Replay.objects.get().state == ReplayState.FAILED
    assert [(line["event_name"], line["code"]) for line in logs] == [("replay.failed", WORKER_DIED)]


@pytest.mark.parametrize(
    ("asked", "error", "says"),
    [
        ({"template": "{% if %}"}, InvalidTemplate, "line 1"),
        ({"template": "x"}, InvalidInput, "choose at least one"),
        ({"template": "x", "turn_ids": [uuid7()]}, InvalidInput, "not all of these turns"),
        ({"template": "x", "turn_ids": [uuid7() for _ in range(51)]}, InvalidInput, "at most 50"),
    ],
)
def test_what_can_not_be_replayed_is_refused(
    relationship: Relationship, asked: dict[str, object], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        request_replay(relationship=relationship, by=PERSON, **asked)  # type: ignore[arg-type]


def test_turns_that_are_longer_together_than_one_may_be_are_not_replayed_at_once(
    conversation: Conversation, settings: Settings
) -> None:
    """Each megabyte of them took forty of memory."""
    settings.MAX_BODY_BYTES = 1000
    turns = [conversation.say("é" * size).id for size in (600, 100)]

    for some in (turns[:1], turns[1:]):
        request_replay(relationship=conversation.relationship, by=PERSON, template="x", turn_ids=some)
    with pytest.raises(InvalidInput, match="choose fewer, of at most 1,000"):
        request_replay(relationship=conversation.relationship, by=PERSON, template="x", turn_ids=turns)


def test_an_erasure_takes_every_replay_along(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    entry = conversation.remember("Lives in Porto")[0]
    scripted_provider.answer_with(answer(add("Lives in Porto")), answer())
    run(ask(conversation))

    erase_entry(relationship_id=entry.relationship_id, entry_id=entry.id, by=PERSON)

    assert not Replay.objects.exists()


def test_an_old_one_is_dropped(conversation: Conversation) -> None:
    ask(conversation)

    assert drop_old_replays(timezone.now() + KEPT - timedelta(hours=1)) == 0
    assert drop_old_replays(timezone.now() + KEPT + timedelta(hours=1)) == 1
