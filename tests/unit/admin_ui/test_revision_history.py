from admin_ui.revision_history import quotations_of
from memory.models import ScratchpadEntry
from relationships.models import Relationship
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation, add, answer


def test_a_message_is_quoted_between_its_neighbours(
    conversation: Conversation, relationship: Relationship, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Has a dog", messages=[2])))
    conversation.say("Hello!", "Yes.", "Good night.", "Bye.")
    conversation.drain()
    entry = ScratchpadEntry.objects.for_relationship(relationship.id).get()

    (quotation,) = quotations_of(entry)

    assert [(message.content, cited) for message, cited in quotation.lines] == [
        ("Hello!", False),
        ("Yes.", True),
        ("Good night.", False),
    ]
