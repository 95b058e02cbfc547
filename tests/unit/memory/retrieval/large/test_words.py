import pytest
from django.db import connection, transaction
from psycopg import sql

from memory.models import IndexPurpose, SearchedKind, SearchText
from memory.retrieval.large.known import ReadyIndex
from memory.retrieval.large.nearest import From
from memory.retrieval.large.statements import IndexKey
from memory.retrieval.large.words import (
    count_documents,
    holding_rarest,
    quoted,
    rarest,
    with_neighbours,
)
from relationships.ids import uuid7
from relationships.models import Relationship
from tests.unit.memory.retrieval.large.sample import NOON, fill


def key(relationship: Relationship, kind: str = "entry") -> IndexKey:
    return IndexKey(relationship.id, kind, IndexPurpose.TEXT)


def source(relationship: Relationship) -> From:
    rows = "memory_searchtext s WHERE s.relationship_id = %(relationship)s AND s.kind = 'entry'"
    return From(sql.SQL(rows), {"relationship": relationship.id})


@pytest.mark.parametrize(
    ("documents", "chosen"),
    [
        ({"common": 4000, "rare": 3, "usual": 900}, ["rare", "usual", "common"]),
        ({"common": 4900, "rare": 200}, ["rare"]),
        ({"common": 30_000}, ["common"]),
        ({}, []),
    ],
    ids=["all fit", "the common one does not fit", "a single common one", "no words"],
)
def test_the_rarest_words_are_looked_for_first(documents: dict[str, int], chosen: list[str]) -> None:
    assert rarest(documents) == chosen


def test_words_are_counted_in_the_order_of_the_ranking(relationship: Relationship) -> None:
    fill(relationship, 100)
    with connection.cursor() as cursor:
        counted = count_documents(cursor, key(relationship), ["word3 item7", "item7 never"], None)
    assert list(counted.items()) == [("item7", 1), ("never", 0), ("word3", 2)]


@pytest.mark.parametrize("word", ["it's", "100%", "a\\b", "%s", "'", "a&b"])
def test_a_word_may_hold_any_sign(relationship: Relationship, word: str) -> None:
    (owner,) = fill(relationship, 1)
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE memory_searchtext SET lexemes = array_to_tsvector(ARRAY[%s]) WHERE relationship_id = %s",
            [word, relationship.id],
        )
        index = ReadyIndex(key(relationship), 1, 3.0, None, None)
        assert holding_rarest(cursor, index, source(relationship), {word: 1}) == {owner}
    assert quoted(word).startswith("'")


def test_a_message_is_ranked_with_its_neighbours(relationship: Relationship) -> None:
    said = SearchText.objects.bulk_create(
        SearchText(
            relationship_id=relationship.id,
            project_id=relationship.project_id,
            kind=SearchedKind.MESSAGE,
            owner_id=uuid7(),
            place=place * 3,
            told_at=NOON,
            language="simple",
            lexemes="",
            length=1,
            text_hash=b"",
        )
        for place in range(20)
    )
    owners = [message.owner_id for message in said]
    with transaction.atomic(), connection.cursor() as cursor:
        found = with_neighbours(cursor, key(relationship, "message"), [owners[10]])
    assert found == set(owners[6:15])
