from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.utils import timezone

from memory.models import LargeIndex
from memory.retrieval.large import known
from memory.retrieval.large.find import note_large
from memory.retrieval.large.upkeep import keep_up
from relationships.models import Relationship

LIMIT = 100

MakeLarge = Callable[[Relationship], None]


@pytest.fixture
def small_limit(settings: Any) -> Iterator[None]:
    """A hundred rows are large, and nobody knows an index of another test."""
    settings.LARGE_RELATIONSHIP_ROWS = LIMIT
    known.forget_known()
    yield
    known.forget_known()


@pytest.fixture
def indexes(transactional_db: None, small_limit: None) -> Iterator[None]:
    """None at first, and none left to slow the tests that come."""
    _drop_all()
    yield
    _drop_all()


@pytest.fixture
def make_large(indexes: None) -> MakeLarge:
    """Do for a relationship what the duties would."""

    def make(relationship: Relationship) -> None:
        note_large(relationship.id, now=timezone.now())
        keep_up(timezone.now())
        known.forget_known()

    return make


def _drop_all() -> None:
    LargeIndex.objects.all().delete()
    keep_up(timezone.now())
