import numpy as np
import pytest

from memory.models import IndexPurpose, SearchText
from memory.retrieval.large.means import take_means
from memory.retrieval.large.statements import IndexKey
from relationships.models import Relationship
from tests.unit.memory.retrieval.large.sample import DIMENSIONS, MODEL, fill, units


def key(relationship: Relationship, purpose: str) -> IndexKey:
    if purpose == IndexPurpose.TEXT:
        return IndexKey(relationship.id, "entry", purpose)
    return IndexKey(relationship.id, "entry", purpose, MODEL, DIMENSIONS)


def test_the_means_are_of_what_is_active(relationship: Relationship) -> None:
    ids = fill(relationship, 40)
    superseded = SearchText.objects.for_relationship(relationship.id).filter(owner_id__in=ids[30:])
    superseded.update(state="superseded")

    text = take_means(key(relationship, IndexPurpose.TEXT))
    nearest = take_means(key(relationship, IndexPurpose.NEAREST))

    assert text == {"rows": 30, "mean_length": 2.0}
    assert nearest["rows"] == 40
    question = units(1, seed=8)[0]
    mean_cosine = (units(40)[:30] @ question).mean()
    assert np.dot(nearest["mean"].to_numpy(), question) == pytest.approx(mean_cosine, abs=1e-4)


@pytest.mark.parametrize("purpose", IndexPurpose.values)
def test_of_nothing_there_are_no_means(relationship: Relationship, purpose: str) -> None:
    assert take_means(key(relationship, purpose)).get("rows", 0) == 0
