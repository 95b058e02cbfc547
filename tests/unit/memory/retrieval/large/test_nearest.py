from django.db import connection, transaction
from psycopg import sql

from memory.models import IndexPurpose, SearchedKind
from memory.retrieval.large.nearest import FETCH, From, nearest, nearest_statement
from memory.retrieval.large.statements import IndexKey
from relationships.ids import relationship_id
from relationships.models import EndUser, Relationship
from tests.unit.memory.retrieval.large.conftest import MakeLarge
from tests.unit.memory.retrieval.large.sample import DIMENSIONS, MODEL, fill, units

ROWS = """memory_searchtext s WHERE s.relationship_id = %(relationship)s AND s.kind = 'entry' AND s.state = 'active'"""


def source(relationship: Relationship) -> From:
    return From(sql.SQL(ROWS), {"relationship": relationship.id})


def key(relationship: Relationship) -> IndexKey:
    return IndexKey(relationship.id, SearchedKind.ENTRY, IndexPurpose.NEAREST, MODEL, DIMENSIONS)


def plan(relationship: Relationship) -> str:
    statement = nearest_statement(key(relationship), source(relationship), units(1, seed=8)[0], FETCH)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("ANALYZE memory_embedding, memory_searchtext")
        cursor.execute(sql.SQL("EXPLAIN ") + statement, {"relationship": relationship.id})
        return "\n".join(row[0] for row in cursor.fetchall())


def somebody_else(relationship: Relationship) -> Relationship:
    user = EndUser.objects.create(project_id=relationship.project_id, external_id="noah", display_name="Noah")
    return Relationship.objects.create(
        id=relationship_id(relationship.companion_id, user.id),
        project_id=relationship.project_id,
        companion_id=relationship.companion_id,
        user=user,
    )


def test_a_large_relationship_is_scanned_by_its_own_index(
    relationship: Relationship, make_large: MakeLarge
) -> None:
    fill(relationship, 2000)
    make_large(relationship)

    assert "Index Scan using large_nearest_" in plan(relationship)


def test_no_other_relationship_can_be_scanned_by_it(
    relationship: Relationship, make_large: MakeLarge
) -> None:
    other = somebody_else(relationship)
    fill(relationship, 1000)
    fill(other, 20)
    make_large(relationship)

    assert "large_nearest_" not in plan(other)
    with transaction.atomic(), connection.cursor() as cursor:
        found = nearest(cursor, key(other), source(other), units(1, seed=8)[0])
    assert len(found) == 20


def test_the_settings_of_the_scan_end_with_its_transaction(
    relationship: Relationship, make_large: MakeLarge
) -> None:
    fill(relationship, 150)
    make_large(relationship)
    with connection.cursor() as cursor:
        with transaction.atomic():
            nearest(cursor, key(relationship), source(relationship), units(1, seed=8)[0])
        cursor.execute("SHOW hnsw.iterative_scan")
        assert cursor.fetchone() == ("off",)
