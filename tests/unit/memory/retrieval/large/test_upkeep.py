import os
from datetime import timedelta
from multiprocessing import get_context
from signal import SIGKILL

import pytest
from django.db import connection
from django.utils import timezone

from memory.models import IndexState, LargeIndex
from memory.retrieval.large.find import note_large
from memory.retrieval.large.session import SESSION_NAME, upkeep_session
from memory.retrieval.large.statements import PREFIX, index_name
from memory.retrieval.large.upkeep import is_owed, keep_up
from memory.services.erasure.relationships import erase_relationship
from relationships.actor import Actor
from relationships.models import Relationship
from tests.unit.memory.retrieval.large.conftest import LIMIT, MakeLarge
from tests.unit.memory.retrieval.large.sample import fill
from tests.waiting import wait_until

pytestmark = pytest.mark.usefixtures("indexes")

_INDEXES = """
SELECT c.relname, i.indisvalid FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
 WHERE starts_with(c.relname, %s)
"""


def there() -> dict[str, bool]:
    with connection.cursor() as cursor:
        cursor.execute(_INDEXES, [PREFIX])
        return dict(cursor.fetchall())


def run(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def names(relationship: Relationship) -> dict[str, str]:
    rows = LargeIndex.objects.for_relationship(relationship.id)
    return {row.purpose: index_name(row.purpose, row.id) for row in rows}


def test_what_is_wanted_is_made_and_then_nothing_is_owed(
    relationship: Relationship, make_large: MakeLarge
) -> None:
    fill(relationship, LIMIT)
    make_large(relationship)

    assert there() == dict.fromkeys(names(relationship).values(), True)
    assert {row.state for row in LargeIndex.objects.all()} == {IndexState.READY}
    assert not is_owed(timezone.now() + timedelta(days=1))
    assert keep_up(timezone.now()) == 0


def test_erasing_the_relationship_takes_its_indexes_along(
    relationship: Relationship, make_large: MakeLarge
) -> None:
    fill(relationship, LIMIT)
    make_large(relationship)

    erase_relationship(
        project_id=relationship.project_id, relationship_id=relationship.id, by=Actor.policy("test")
    )

    assert keep_up(timezone.now()) == 2
    assert there() == {}


def test_what_a_killed_round_left_invalid_is_dropped_and_made_anew(relationship: Relationship) -> None:
    fill(relationship, LIMIT)
    note_large(relationship.id, now=timezone.now())
    name = names(relationship)["nearest"]
    run(f"CREATE INDEX {name} ON memory_embedding_00 (relationship_id)")
    run(f"UPDATE pg_index SET indisvalid = false WHERE indexrelid = '{name}'::regclass")

    keep_up(timezone.now())

    assert there()[name]
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexdef FROM pg_indexes WHERE indexname = %s", [name])
        assert "USING hnsw" in cursor.fetchone()[0]


def test_a_process_killed_while_it_makes_an_index_leaves_nothing_to_mend(relationship: Relationship) -> None:
    fill(relationship, LIMIT)
    note_large(relationship.id, now=timezone.now())
    with upkeep_session() as reader:  # whose open transaction the index has to wait for
        assert reader is not None
        reader.execute("SET application_name = 'a reader'")
        with reader.transaction():
            reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            reader.execute("SELECT count(*) FROM memory_embedding")
            connection.close()
            maker = get_context("fork").Process(target=keep_up, args=(timezone.now(),))
            maker.start()
            wait_until(lambda: sessions("wait_event_type = 'Lock'"), what="the index to wait")
            assert maker.pid is not None
            os.kill(maker.pid, SIGKILL)
            maker.join()
            wait_until(lambda: not sessions(), what="the database to notice")
    assert False in there().values()

    LargeIndex.objects.all().update(due_at=timezone.now())  # as its claim falls due by itself
    keep_up(timezone.now())

    assert there() == dict.fromkeys(names(relationship).values(), True)


def sessions(condition: str = "true") -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT count(*) FROM pg_stat_activity WHERE application_name = %s AND {condition}",
            [SESSION_NAME],
        )
        return int(cursor.fetchone()[0])


def test_a_ready_index_that_somebody_dropped_is_made_anew(
    relationship: Relationship, make_large: MakeLarge
) -> None:
    fill(relationship, LIMIT)
    make_large(relationship)
    run(f"DROP INDEX {names(relationship)['text']}")

    assert keep_up(timezone.now()) == 1
    assert len(there()) == 2


def test_only_one_session_at_a_time_makes_indexes(relationship: Relationship) -> None:
    fill(relationship, LIMIT)
    note_large(relationship.id, now=timezone.now())

    with upkeep_session() as first:
        assert first is not None
        assert keep_up(timezone.now()) == 0
        assert there() == {}

    assert keep_up(timezone.now()) == 2


def test_a_claim_that_came_to_nothing_falls_due_again(relationship: Relationship) -> None:
    fill(relationship, LIMIT)
    note_large(relationship.id, now=timezone.now())
    LargeIndex.objects.all().update(due_at=timezone.now() + timedelta(minutes=1), attempts=1)

    assert not is_owed(timezone.now())
    assert is_owed(timezone.now() + timedelta(minutes=2))


def test_an_index_that_cannot_be_made_is_noted_and_stops_no_other(relationship: Relationship) -> None:
    fill(relationship, LIMIT)
    note_large(relationship.id, now=timezone.now())
    LargeIndex.objects.filter(purpose="nearest").update(dimensions=5)  # the vectors have eight

    keep_up(timezone.now())

    states = dict(LargeIndex.objects.values_list("purpose", "state"))
    assert states.get("text") == IndexState.READY
