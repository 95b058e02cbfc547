"""What was told off the record: kept, and found by nobody until it is read after all."""

from memory.ingestion.intake import retry_turn
from relationships.models import Message, Relationship
from tests.fixtures.index import configure, owing, row_of, told_to_embed
from tests.fixtures.turns import Conversation


def test_what_was_said_in_a_turn_that_is_skipped_owes_nothing_until_it_is_read_after_all(
    relationship: Relationship, conversation: Conversation
) -> None:
    configure(relationship, embedder="default", embed_messages=True)
    turn = conversation.say("Between us.", ingestion={"enabled": False})
    message = Message.objects.for_relationship(relationship.id).get(turn_id=turn.id)
    assert owing(relationship) == set()
    assert row_of(message).state == "skipped"
    assert told_to_embed() == []

    retry_turn(relationship_id=relationship.id, turn_id=turn.id)

    assert owing(relationship) == {message.id}
    assert row_of(message).state == "active"


def test_what_a_companion_does_not_read_is_on_record_all_the_same(
    relationship: Relationship, conversation: Conversation
) -> None:
    companion = relationship.companion
    companion.config = {
        "ingestion": {"enabled": False},
        "retrieval": {"embedder": "default", "embed_messages": True},
    }
    companion.save(update_fields=["config"])

    turn = conversation.say("It rains.")

    message = Message.objects.for_relationship(relationship.id).get(turn_id=turn.id)
    assert row_of(message).state == "active"
    assert owing(relationship) == {message.id}
