"""A model that judges a wish is shown what the ranked search finds by meaning too, however old it is, within its bound."""

import pytest

from memory.mending.model_judgement import MOST_SHOWN
from memory.models import MendingPlan
from memory.retrieval.index.embed import embed_owed
from relationships.models import Message
from tests.fakes import ScriptedEmbedder, ScriptedProvider
from tests.fixtures.api import Api
from tests.fixtures.index import configure
from tests.fixtures.turns import Conversation
from tests.integration.mending.test_forget import numbers_that_say

WISH = "my drinking"
ENTRY, SAID = "Empties a bottle of rum each evening", "Rum puts me to bed most nights."


@pytest.fixture
def long_ago(conversation: Conversation, scripted_embedder: ScriptedEmbedder) -> Conversation:
    """An entry and a message that say it in other words, and as many newer ones of each as a question holds."""
    configure(conversation.relationship, embedder="default", embed_messages=True)
    for paraphrase in (ENTRY, SAID):
        scripted_embedder.place_near(paraphrase, WISH, at=0.8)
    conversation.remember(ENTRY)
    conversation.say(SAID)
    for start in range(0, MOST_SHOWN, 20):
        texts = [f"Fact {number} of the garden" for number in range(start, start + 20)]
        conversation.remember(*texts)
        conversation.say(*texts)
    embed_owed(relationship_id=conversation.relationship.id)
    return conversation


def test_an_old_paraphrase_is_shown_to_the_model_and_goes(
    api: Api,
    at: str,
    long_ago: Conversation,
    scripted_provider: ScriptedProvider,
    scripted_embedder: ScriptedEmbedder,
) -> None:
    scripted_provider.wishes_answer = numbers_that_say("rum", "Rum")

    plan = api.post(f"{at}/forget", {"what": WISH})

    assert plan.status == 200, plan
    assert [texts for purpose, texts in scripted_embedder.asked if purpose == "query"] == [[WISH]]
    [asked] = scripted_provider.wishes
    lines = [line for line in asked.prompt.splitlines() if line.startswith("[")]
    assert len(lines) == MOST_SHOWN
    assert [sum(text in line for line in lines) for text in (ENTRY, SAID)] == [1, 1]
    assert ENTRY not in long_ago.contents
    assert Message.objects.get(content=SAID).hidden_at is not None


def test_where_rules_judge_nothing_is_embedded(
    api: Api, at: str, long_ago: Conversation, scripted_embedder: ScriptedEmbedder
) -> None:
    long_ago.read_by_rules()
    asked = len(scripted_embedder.asked)
    assert api.post(f"{at}/forget", {"what": WISH}).status == 200
    assert len(scripted_embedder.asked) == asked and MendingPlan.objects.get().items == []
