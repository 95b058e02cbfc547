from context.pipeline import build_context
from context.replies.offline import LINES, MARK, offline_reply
from relationships.models import Relationship
from tests.fixtures.turns import Conversation


def said(relationship: Relationship) -> str:
    context = build_context(
        project_id=relationship.project_id, relationship_id=relationship.id, message="Hello", session="s"
    )
    return offline_reply(context, user="Maya")


def test_it_is_plainly_no_reply_of_a_model(relationship: Relationship) -> None:
    assert said(relationship).startswith(MARK)
    assert "Nothing is remembered of Maya yet" in said(relationship)


def test_it_says_what_a_model_would_know(relationship: Relationship, conversation: Conversation) -> None:
    conversation.remember(*[f"Fact {number}" for number in range(LINES + 2)])

    assert "- Fact 9" in said(relationship)
    assert "... and 2 more" in said(relationship)
