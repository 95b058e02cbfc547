"""What a turn asks of the database: so many statements, however much is remembered and said."""

import pytest
from pytest_django import DjangoAssertNumQueries

from memory.ingestion.pipeline import drain_relationship
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation, add, answer

OF_A_BATCH = 12  # savepoints with them, however many turns it has


@pytest.mark.parametrize(("turns", "entries"), [(1, 0), (1, 40), (8, 40)])
def test_a_batch_takes_few_statements(
    turns: int,
    entries: int,
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    warm_up(conversation, scripted_provider)
    conversation.remember(*(f"Likes the dish with the number {number}" for number in range(entries)))
    facts = [add(f"Owns the boat {number}", messages=[number + 1]) for number in range(turns)]
    scripted_provider.answer_with(answer(*facts))
    for number in range(turns):
        conversation.say(f"I own the boat {number}.")

    with django_assert_num_queries(OF_A_BATCH):
        drained = drain_relationship(relationship_id=conversation.relationship.id, worker="test")

    assert drained.applied == turns


def warm_up(conversation: Conversation, provider: ScriptedProvider) -> None:
    """What is read once by a process, and made with a relationship's first turn."""
    provider.answer_with(answer(add("Owns a kite")))
    conversation.hear("I own a kite.")
