import pytest

from relationships.models import Relationship
from tests.unit.memory.retrieval.searched import Memory


@pytest.fixture
def memory(relationship: Relationship) -> Memory:
    """A relationship that is searched by text alone."""
    return Memory(relationship)


@pytest.fixture
def offline_memory(relationship: Relationship) -> Memory:
    """A relationship with vectors of the offline embedder, also for messages."""
    return Memory(relationship, embedder="offline", embed_messages=True)
