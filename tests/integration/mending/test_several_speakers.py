"""On an account that several people use, a wish is about the one who asks, and messages are judged with their speaker."""

import pytest

from memory.ingestion.intake import accept_turn
from memory.mending.candidates import scope_of
from memory.mending.plans import Draft, draft_plan
from relationships.models import Message
from relationships.services.turns import NewMessage, NewTurn
from tests.fakes import ScriptedProvider
from tests.fixtures.people import MORNING
from tests.fixtures.turns import Conversation
from tests.integration.mending.test_forget import numbers_that_say

WISH = "that I hate broccoli"


@pytest.fixture
def family(conversation: Conversation) -> Conversation:
    """Maya, whose account it is, and Leo hate broccoli; so two entries and two messages say. Each asks to forget it."""
    for speaker, subject, content in (("", "user", "Hates broccoli"), ("Leo", "Leo", "Leo hates broccoli")):
        conversation.remember(content, subject=subject)
        said = [NewMessage("user", "I hate broccoli.", speaker=speaker)]
        accept_turn(relationship=conversation.relationship, new=NewTurn(said, occurred_at=MORNING))
    for speaker in ("", "Leo"):
        said = [NewMessage("user", f"Forget {WISH}.", speaker=speaker)]
        accept_turn(relationship=conversation.relationship, new=NewTurn(said, occurred_at=MORNING))
    return conversation


def plan_of(family: Conversation, speaker: str, *, by_rules: bool) -> Draft:
    owned = Message.objects.for_relationship(family.relationship.id)
    asks = owned.filter(speaker=speaker, content__startswith="Forget").get()
    return draft_plan(scope_of(family.relationship, WISH, asked_by=asks), verb="forget", by_rules=by_rules)


@pytest.mark.parametrize(("speaker", "entry"), [("", "Hates broccoli"), ("Leo", "Leo hates broccoli")])
def test_by_rules_only_what_the_one_who_asks_said_goes(
    family: Conversation, speaker: str, entry: str
) -> None:
    plan = plan_of(family, speaker, by_rules=True)

    gone = {(one.kind, one.text, one.speaker) for one in plan.ticked if "orget" not in one.text}
    assert gone == {("entry", entry, ""), ("message", "I hate broccoli.", speaker)}


def test_a_model_is_shown_who_speaks_and_who_asks(
    family: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.wishes_answer = numbers_that_say("Leo")

    plan_of(family, "Leo", by_rules=False)

    prompt = scripted_provider.wishes[-1].prompt
    assert "(said by Leo) I hate broccoli." in prompt and "(said by the person) I hate broccoli." in prompt
    assert 'The wish is Leo\'s: "I" in it is Leo. The person is Maya' in prompt
