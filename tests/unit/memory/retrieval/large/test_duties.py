import pytest
from django.utils import timezone

from memory.models import IndexState, LargeIndex
from memory.retrieval.large.duties import Builder, large_duties
from memory.retrieval.large.find import note_large
from relationships.models import Relationship
from tests.unit.memory.retrieval.large.conftest import LIMIT
from tests.unit.memory.retrieval.large.sample import fill

pytestmark = pytest.mark.usefixtures("indexes")


def test_indexes_are_made_beside_the_other_duties(relationship: Relationship) -> None:
    fill(relationship, LIMIT)
    note_large(relationship.id, now=timezone.now())
    builder = Builder()

    builder.look(timezone.now())
    builder.wait(60)

    assert {row.state for row in LargeIndex.objects.all()} == {IndexState.READY}


def test_the_house_keeps_these_duties() -> None:
    assert [duty.name for duty in large_duties()] == ["find_large_relationships", "make_large_indexes"]
