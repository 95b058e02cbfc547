import pytest

from relationships.models import Relationship
from tests.unit.memory.retrieval.searched import Memory


@pytest.fixture
def memory(relationship: Relationship) -> Memory:
    """Searched by text alone."""
    return Memory(relationship)


@pytest.fixture
def offline_memory(relationship: Relationship) -> Memory:
    """With vectors of the offline embedder, of messages too."""
    return Memory(relationship, embedder="offline", embed_messages=True)
