"""A turn that ends every process that reads it: it is found, fails visibly, and takes nobody along."""

from django.utils import timezone
from django_q.models import OrmQ
from pytest_django.fixtures import Settings

from memory.ingestion.claim import claim_turns
from memory.ingestion.sweep import release_dead_leases
from relationships.models import Turn, TurnState
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation


def claim(conversation: Conversation) -> list[str]:
    """The sequence numbers a worker takes; nobody by its name lives."""
    held = claim_turns(relationship_id=conversation.relationship.id, worker="nowhere/0:1:1")
    return [str(turn.seq) for turn in held.turns] if held else []


def die(conversation: Conversation) -> None:
    """The reader is gone: its lease runs out, and the sweep comes by."""
    turns = Turn.objects.for_relationship(conversation.relationship.id)
    turns.filter(state=TurnState.PROCESSING).update(lease_until=timezone.now())
    release_dead_leases(timezone.now())


def test_after_two_deaths_the_turns_of_a_batch_are_read_one_by_one(conversation: Conversation) -> None:
    turns = [conversation.say(text) for text in ("one", "two", "three")]

    sizes = []
    for _ in range(3):
        sizes.append(len(claim(conversation)))
        die(conversation)

    assert sizes == [3, 3, 1]
    assert conversation.again(turns[0]).error_code == "worker_died"


def test_a_turn_that_ends_every_reader_fails_in_the_end_and_the_rest_go_on(
    conversation: Conversation, scripted_provider: ScriptedProvider, settings: Settings
) -> None:
    settings.MAX_ATTEMPTS = 4
    scripted_provider.otherwise = {"operations": []}
    turns = [conversation.say(text) for text in ("deadly", "fine")]
    for _ in range(4):
        claim(conversation)
        die(conversation)

    conversation.drain()

    deadly, fine = (conversation.again(turn) for turn in turns)
    assert (deadly.state, deadly.error_code) == (TurnState.FAILED, "worker_died")
    assert "4 workers died" in deadly.error
    assert (fine.state, fine.error_code) == (TurnState.APPLIED, "")


def test_a_turn_behind_one_that_is_owed_needs_no_task_of_its_own(conversation: Conversation) -> None:
    conversation.say("one")
    conversation.say("two")
    conversation.say("three", ingestion={"enabled": False})

    assert OrmQ.objects.count() == 1
