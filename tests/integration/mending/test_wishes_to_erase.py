"""A wish to erase says itself what is to be gone."""

import pytest

from memory.models import ModelCall
from tests.fakes import ScriptedProvider
from tests.fixtures.api import Api
from tests.fixtures.turns import Conversation
from tests.integration.mending.test_hidden_then_erased import still_with


@pytest.mark.parametrize("answers", ["nothing", "garbage"])
def test_a_wish_to_erase_that_finds_nothing_leaves_no_words_of_its_own(
    api: Api, at: str, told: Conversation, scripted_provider: ScriptedProvider, answers: str
) -> None:
    """Whoever says "my PIN is 847291" wants that to be gone, whether it was known before or not."""
    scripted_provider.wishes_answer = {"says": [], "unsure": []} if answers == "nothing" else {"garbage": 1}
    wish = {"what": "my sister's PIN xq847291", "depth": "erase", "dry_run": True}

    plan = api.post(f"{at}/forget", wish).body

    assert [item for item in plan["items"] if item["ticked"]] == []
    calls = ModelCall.objects.filter(purpose="forget")
    assert [call.prompt for call in calls] == [""], "a model was asked"
    if not plan["items"]:
        assert still_with("xq847291") == set()
    api.post(f"{at}/plans/{plan['id']}/decline")
    assert still_with("xq847291") == set()
