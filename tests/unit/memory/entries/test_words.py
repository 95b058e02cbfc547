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
        ("NURSES", False),
        ("zoë brontë", True),
        ("zoe mueller", True),
        ("zoe müller", True),
        ("020-7946-0018", True),
        ("02079460018", True),
        ("020-7946-0019", False),
        ("ord 17", True),
        ("ORD-17", True),
        ("ORD-1", False),
        ("ｐｏｒｔｏ", True),
        ("日本", True),
        ("本語", True),
        ("🙂", True),
        ("'", True),
        ("\\", False),
        ("word " * 5000, False),
        ("सोफ़िया", True),
        ("सोफ", True),
        ("समोसा", False),
        ("احمد", True),
        ("هدى", True),
        ("1984", True),
        ("١٩٨٤", True),
        ("१९८४", True),
        ("٠٥٠ ١٢٣ ٤٥٦٧", True),
        ("050-123-4567", True),
    ],
)
def test_words_are_found_by_their_beginnings(
    conversation: Conversation, relationship: Relationship, text: str, found: bool
) -> None:
    conversation.remember(
        "Lives in Porto",
        "Has a nurse's pension 🙂",
        "Learns 日本語",
        "Knows Zoë Bronte-Müller at +44 20 7946 0018",
        "ORD-17",
        "सोफिया दोस्त है",
        "أحمد زوج هُدى، وُلد سنة ١٩٨٤، هاتفه ٠٥٠-١٢٣-٤٥٦٧",
    )

    ids = relationships_that_say(project_id=relationship.project_id, text=text)

    assert ids == ([relationship.id] if found else [])


def test_another_project_is_never_found(conversation: Conversation) -> None:
    conversation.remember("Lives in Porto")

    assert relationships_that_say(project_id=Project.objects.create(name="Other").id, text="porto") == []
