"""A relationship with one of everything, made only by the services."""

import pytest

from memory.retrieval.index.embed import embed_owed
from relationships.models import Operator, Relationship
from relationships.services.profiles import replace_profile
from relationships.services.sessions import patch_session
from tests.fakes import ScriptedEmbedder, ScriptedProvider
from tests.fixtures.index import configure
from tests.fixtures.turns import PERSON, Conversation, add, answer, update


@pytest.fixture
def lived(
    relationship: Relationship,
    account: Operator,
    scripted_provider: ScriptedProvider,
    scripted_embedder: ScriptedEmbedder,
) -> Conversation:
    """A conversation with processed turns, entries by people and models, a profile, an open session, and all vectors."""
    configure(relationship, embedder="default", embed_messages=True, language="english")
    conversation = Conversation(relationship)
    conversation.remember("Likes tea", "Lives in Porto")
    scripted_provider.otherwise = answer(add("Has a cat"), update(2, "Lives in Lisbon"))
    conversation.hear("I have a cat, and I moved to Lisbon")
    scripted_provider.otherwise = answer(add("Runs on Sundays"))
    conversation.hear("I run on Sundays")
    conversation.remember("Worked in Rome once", tier="archive")
    replace_profile(relationship=relationship, data={"plan": "pro"}, by=PERSON)
    patch_session(relationship=relationship, session="current", patch={"mood": "calm"}, idle_minutes=0)
    embed_owed(relationship_id=relationship.id)
    return conversation
