import pytest
from django.test import Client

from memory.models import HeldDeletion, ScratchpadEntry
from relationships.models import Relationship
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation, answer, delete


@pytest.fixture
def held(conversation: Conversation, scripted_provider: ScriptedProvider) -> HeldDeletion:
    """A model that wanted everything gone."""
    conversation.remember(*[f"Fact {number}" for number in range(6)])
    scripted_provider.answer_with(answer(*[delete(number) for number in range(1, 6)]))
    conversation.say("Forget it all.")
    conversation.drain()
    waiting: HeldDeletion = HeldDeletion.objects.get()
    return waiting


@pytest.mark.parametrize(("decision", "left"), [("decline", 6), ("confirm", 1)])
def test_a_person_decides_what_becomes_of_them(
    editor: Client, relationship: Relationship, held: HeldDeletion, decision: str, left: int
) -> None:
    page = f"/admin-ui/relationships/{relationship.id}/"
    assert "5 deletions wait for you" in editor.get(page).content.decode()

    editor.post(f"{page}held/{held.id}/", {"decision": decision})

    assert ScratchpadEntry.objects.for_relationship(relationship.id).active().count() == left
    assert "wait for you" not in editor.get(page).content.decode()
