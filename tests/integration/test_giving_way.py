"""Whoever does a task stops after a batch when others wait, and queues up again: so tasks are of one size."""

from collections.abc import Iterator

import pytest
from django_q.models import OrmQ

from behaviours.owed import TASK
from memory.ingestion.replays import request_replay, run_replay
from memory.models import Replay, ReplayState
from memory.retrieval.index.embed import embed_owed
from providers.errors import AnswerTruncated
from relationships.models import Relationship, Turn
from tests.fakes import ScriptedEmbedder, ScriptedProvider
from tests.fixtures.behaviours import behave, outbox_of, work
from tests.fixtures.index import configure, told_to_embed
from tests.fixtures.turns import PERSON, Conversation, answer
from worker import worker_stats

pytestmark = pytest.mark.django_db


@pytest.fixture
def waiting() -> Iterator[worker_stats.WorkerStats]:
    """A pool that holds a task which none of its processes has taken."""
    shared = worker_stats.WorkerStats()
    worker_stats.use(shared)
    worker_stats.note_handed(1)
    yield shared
    worker_stats.use(None)
    shared.close()


def told() -> list[str]:
    return [row.task["func"] for row in OrmQ.objects.order_by("id")]


def test_a_drain_gives_way_after_a_batch(
    waiting: worker_stats.WorkerStats, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.otherwise = answer()
    for text in ("one", "two", "three"):
        conversation.say(text, ingestion={"max_batch": 1})
    before = told()

    assert conversation.drain().applied == 1
    assert told() == [*before, "memory.tasks.drain"]

    waiting.page.handed = 0
    assert conversation.drain().applied == 2


def test_a_batch_that_is_read_in_halves_gives_way_after_the_first(
    waiting: worker_stats.WorkerStats, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    """All of a batch, asked about in halves and with more room, would be dozens of calls in one task."""
    scripted_provider.otherwise = AnswerTruncated("cut off")
    for text in ("one", "two", "three", "four"):
        conversation.say(text)
    before = told()

    drained = conversation.drain()

    assert (drained.failed, drained.released) == (1, 3)
    assert told() == [*before, "memory.tasks.drain"]
    states = Turn.objects.order_by("seq").values_list("state", flat=True)
    assert list(states) == ["failed", "pending", "pending", "pending"]

    waiting.page.handed = 0
    assert conversation.drain().failed == 3


def test_a_drain_with_nothing_left_asks_for_no_other(
    waiting: worker_stats.WorkerStats, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.otherwise = answer()
    conversation.say("one")
    before = told()

    conversation.drain()

    assert told() == before


def test_embedding_gives_way_after_a_batch(
    waiting: worker_stats.WorkerStats,
    relationship: Relationship,
    conversation: Conversation,
    scripted_embedder: ScriptedEmbedder,
) -> None:
    scripted_embedder.most_texts = 2
    configure(relationship, embedder="scripted")
    conversation.remember("one", "two", "three", "four", "five")
    before = len(told_to_embed())

    embed_owed(relationship_id=relationship.id)

    assert len(scripted_embedder.texts) == 2
    assert len(told_to_embed()) == before + 1


def test_a_replay_gives_way_after_a_step_and_goes_on_from_there(
    waiting: worker_stats.WorkerStats, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.otherwise = answer()
    turn = conversation.say("I live in Porto.")
    replay = request_replay(
        relationship=conversation.relationship, template="Keep it.", turn_ids=[turn.id], by=PERSON
    )
    before = told()

    run_replay(relationship_id=replay.relationship_id, replay_id=replay.id)
    half: Replay = Replay.objects.get()
    assert (half.state, half.attempts, list(half.results)) == (ReplayState.PENDING, 0, ["published"])
    assert told() == [*before, "memory.tasks.replay"]

    run_replay(relationship_id=replay.relationship_id, replay_id=replay.id)
    assert Replay.objects.get().state == ReplayState.DONE
    assert len(scripted_provider.requests) == 2


def test_what_is_done_row_by_row_gives_way_after_one(
    waiting: worker_stats.WorkerStats, conversation: Conversation
) -> None:
    """Behaviours; and so summaries, which go through the same."""
    behave(conversation.relationship, greet={"message": "Hello"})
    for text in ("one", "two", "three"):
        conversation.say(text)
    before = told()

    assert work(conversation) == 1
    assert told() == [*before, TASK]

    waiting.page.handed = 0
    assert work(conversation) == 2
    assert outbox_of(conversation) == ["Hello"] * 3


def test_what_is_done_row_by_row_ends_in_time_though_nobody_waits(
    monkeypatch: pytest.MonkeyPatch, conversation: Conversation
) -> None:
    """Else the watchdog would take many rows for a task that never ends, and restart the pool."""
    monkeypatch.setattr("worker.fairness.MOST_SECONDS", 0.0)
    behave(conversation.relationship, greet={"message": "Hello"})
    for text in ("one", "two"):
        conversation.say(text)
    before = told()

    assert work(conversation) == 1
    assert told() == [*before, TASK]
