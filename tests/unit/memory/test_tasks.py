from collections.abc import Iterator

import pytest
from django_q.exceptions import TimeoutException
from django_q.models import Task

from memory.tasks import drain, embed
from providers.llm.base import CompletionRequest
from relationships.models import TurnState
from tests.fakes import ScriptedEmbedder, ScriptedProvider
from tests.fixtures.index import configure, embedded, owing
from tests.fixtures.queue import MakeTurn, held_by
from tests.fixtures.turns import Conversation
from worker import worker_stats
from worker.identity import worker_identity

pytestmark = pytest.mark.django_db(transaction=True)

NOTHING: dict[str, object] = {"operations": []}


@pytest.fixture
def stopping() -> Iterator[None]:
    shared = worker_stats.WorkerStats()
    shared.page.stopping = 1
    worker_stats.use(shared)
    yield
    worker_stats.use(None)
    shared.close()


def test_a_task_does_what_is_due_in_its_relationship(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.otherwise = NOTHING
    turn = conversation.say("I like tea.")

    drain(str(conversation.relationship.id))

    assert conversation.again(turn).state == TurnState.APPLIED


def test_a_task_never_fails_and_leaves_nothing_held(conversation: Conversation, make_turn: MakeTurn) -> None:
    mine, somebodys = make_turn(**held_by(worker_identity())), make_turn(**held_by("somebody"))

    drain("no relationship has such an ID")

    assert conversation.again(mine).state == TurnState.PENDING
    assert conversation.again(somebodys).state == TurnState.PROCESSING
    assert not Task.objects.exists()


def test_a_task_that_overran_its_time_gives_its_turn_back(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    def overrun(request: CompletionRequest) -> None:
        raise TimeoutException("Task exceeded maximum timeout value")

    scripted_provider.otherwise = NOTHING
    scripted_provider.while_answering = overrun
    turn = conversation.say("I like tea.")

    drain(str(conversation.relationship.id))

    again = conversation.again(turn)
    assert (again.state, again.leased_by) == (TurnState.PENDING, "")


def test_a_worker_that_is_being_stopped_begins_nothing(
    conversation: Conversation, scripted_provider: ScriptedProvider, stopping: None
) -> None:
    turn = conversation.say("I like tea.")

    drain(str(conversation.relationship.id))

    assert scripted_provider.requests == []
    assert conversation.again(turn).state == TurnState.PENDING


def test_a_task_embeds_what_its_relationship_owes(
    conversation: Conversation, scripted_embedder: ScriptedEmbedder
) -> None:
    configure(conversation.relationship, embedder="default")
    entry = conversation.remember("Likes tea")[0]

    embed(str(conversation.relationship.id))

    assert embedded(conversation.relationship) == {entry.id}


def test_embedding_never_fails_and_what_was_taken_stays_owed(
    conversation: Conversation, scripted_embedder: ScriptedEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    configure(conversation.relationship, embedder="default")
    entry = conversation.remember("Likes tea")[0]
    scripted_embedder.answer_with(TimeoutException("Task exceeded maximum timeout value"))

    embed(str(conversation.relationship.id))
    embed("no relationship has such an ID")

    assert owing(conversation.relationship) == {entry.id}
    assert "queue.embed.crashed" in caplog.text
    assert not Task.objects.exists()


def test_a_worker_that_is_being_stopped_embeds_nothing(
    conversation: Conversation, scripted_embedder: ScriptedEmbedder, stopping: None
) -> None:
    configure(conversation.relationship, embedder="default")
    conversation.remember("Likes tea")

    embed(str(conversation.relationship.id))

    assert scripted_embedder.asked == []
