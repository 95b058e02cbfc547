import pytest

from memory.entries.words import relationships_that_say
from relationships.models import Project, Relationship
from tests.fixtures.turns import Conversation


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("por", True),
        ("PORTO lives", True),
        ("orto", False),
        ("porto dog", False),
        ("nurse's", True),
        ("o'neill & 'x", False),
        ("日本", True),
        ("本語", True),
        ("🙂", True),
        ("'", True),
        ("\\", False),
        ("word " * 5000, False),
    ],
)
def test_words_are_found_by_their_beginnings(
    conversation: Conversation, relationship: Relationship, text: str, found: bool
) -> None:
    conversation.remember("Lives in Porto", "Has a nurse's pension 🙂", "Learns 日本語")

    ids = relationships_that_say(project_id=relationship.project_id, text=text)

    assert ids == ([relationship.id] if found else [])


def test_another_project_is_never_found(conversation: Conversation) -> None:
    conversation.remember("Lives in Porto")

    assert relationships_that_say(project_id=Project.objects.create(name="Other").id, text="porto") == []
