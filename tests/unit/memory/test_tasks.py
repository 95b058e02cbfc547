import pytest
from django.db import OperationalError
from django_q.models import Task

from memory.tasks import drain, embed
from providers.llm.base import CompletionRequest
from relationships.models import Turn, TurnState
from tests.fakes import ScriptedEmbedder, ScriptedProvider
from tests.fixtures.index import configure, embedded, owing
from tests.fixtures.people import meet
from tests.fixtures.queue import MakeTurn, held_by
from tests.fixtures.turns import Conversation
from worker.identity import worker_identity

pytestmark = pytest.mark.django_db(transaction=True)

NOTHING: dict[str, object] = {"operations": []}


def test_a_task_does_what_is_due_in_its_relationship(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.otherwise = NOTHING
    turn = conversation.say("I like tea.")

    drain(str(conversation.relationship.id))

    assert conversation.again(turn).state == TurnState.APPLIED


def test_a_task_that_the_database_leaves_gives_its_turn_back_and_nobody_elses(
    conversation: Conversation, make_turn: MakeTurn, scripted_provider: ScriptedProvider
) -> None:
    """Of the same process too: it has many tasks in hand."""

    def lose_the_database(request: CompletionRequest) -> None:
        raise OperationalError("the connection is closed")

    scripted_provider.otherwise = NOTHING
    scripted_provider.while_answering = lose_the_database
    somebodys = make_turn(of=meet(conversation.relationship.companion), **held_by(worker_identity()))
    turn = conversation.say("I like tea.")

    drain(str(conversation.relationship.id))

    again = conversation.again(turn)
    assert (again.state, again.leased_by) == (TurnState.PENDING, "")
    assert Turn.objects.get(id=somebodys.id).state == TurnState.PROCESSING
    assert not Task.objects.exists()


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
    scripted_embedder.answer_with(OperationalError("the connection is closed"))

    embed(str(conversation.relationship.id))
    embed("no relationship has such an ID")

    assert owing(conversation.relationship) == {entry.id}
    assert "queue.task.crashed" in caplog.text
    assert not Task.objects.exists()
