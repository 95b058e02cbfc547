"""A conversation in which somebody says where they live, and hears it again."""

import pytest

from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation, add, answer
from tests.integration.mending.test_forget import ECHO, OTHER, SAID


@pytest.fixture
def told(conversation: Conversation, scripted_provider: ScriptedProvider) -> Conversation:
    scripted_provider.answer_with(answer(add("Lives in Klosterneuburg"), add("Has a sister", messages=[3])))
    conversation.exchange(SAID, ECHO, "I have a sister.", OTHER)
    return conversation
