import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.models import IndexPurpose, IndexState, LargeIndex
from memory.retrieval.large.known import forget_known, ready_index
from memory.retrieval.large.statements import IndexKey
from relationships.models import Relationship

pytestmark = pytest.mark.usefixtures("small_limit")


def key(relationship: Relationship) -> IndexKey:
    return IndexKey(relationship.id, "entry", IndexPurpose.TEXT)


def want(relationship: Relationship, state: str) -> None:
    LargeIndex.objects.create(
        relationship_id=relationship.id,
        project_id=relationship.project_id,
        kind="entry",
        purpose=IndexPurpose.TEXT,
        state=state,
        rows=12,
    )
    forget_known()


@pytest.mark.parametrize(
    ("state", "usable"), [(IndexState.WANTED, False), (IndexState.FAILED, False), (IndexState.READY, True)]
)
def test_only_a_ready_index_is_used(relationship: Relationship, state: str, usable: bool) -> None:
    want(relationship, state)
    index = ready_index(key(relationship))
    assert (index is not None and index.rows == 12) is usable


def test_the_database_is_asked_once_for_many_searches(relationship: Relationship) -> None:
    want(relationship, IndexState.READY)
    with CaptureQueriesContext(connection) as statements:
        for _ in range(10):
            ready_index(key(relationship))
    assert len(statements) == 1
