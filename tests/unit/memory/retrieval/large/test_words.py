import pytest
from django.db import connection, transaction
from psycopg import sql

from memory.models import IndexPurpose, SearchedKind, SearchText
from memory.retrieval.large.known import ReadyIndex
from memory.retrieval.large.nearest import From
from memory.retrieval.large.statements import IndexKey
from memory.retrieval.large.words import (
    MATCHED,
    count_documents,
    holding_rarest,
    quoted,
    rarest,
    with_neighbours,
)
from memory.retrieval.questions import WORDS_AT_ONCE
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


def test_more_words_than_a_statement_has_columns_are_counted(relationship: Relationship) -> None:
    fill(relationship, 100)
    question = " ".join(f"word{number}" for number in range(2000))
    with connection.cursor() as cursor:
        counted = count_documents(cursor, key(relationship), [question], None)
    assert len(counted) == 2000
    assert (counted["word3"], counted["word49"], counted["word50"]) == (2, 2, 0)


def test_the_rows_that_hold_the_rarest_of_very_many_words_are_found(relationship: Relationship) -> None:
    owners = fill(relationship, 100)
    documents = {f"word{number}": 2 for number in range(50)} | {"item7": 1}
    documents |= {f"another{number}": 1000 for number in range(WORDS_AT_ONCE)}
    index = ReadyIndex(key(relationship), 100_000, 3.0, None, None)
    with connection.cursor() as cursor:
        assert owners[7] in holding_rarest(cursor, index, source(relationship), documents)
        several = dict.fromkeys(list(documents)[:MATCHED], 1)
        assert holding_rarest(cursor, index, source(relationship), several) == set(owners)


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
