"""Which database is read, and when a replica is not; that one is read at all is shown by the drills, on a standby."""

import time

import pytest
from django.db import connections, transaction
from pytest_django.fixtures import Settings

from config.checks import check_replica
from config.postgresql.replica import REPLICA, RETRY_SECONDS, Router, Unfit, reading_replica, replica
from config.postgresql.sessions import prepared_cursor
from relationships.models import Project
from tests.fixtures.replica import NOBODY_LISTENS, replica_at


@pytest.mark.django_db(transaction=True)
def test_inside_the_block_the_replica_is_read_but_in_a_transaction_and_the_primary_written() -> None:
    router = Router()
    with replica_at(), reading_replica():
        assert (router.db_for_read(Project), router.db_for_write(Project)) == (REPLICA, "default")
        with prepared_cursor() as cursor:
            assert cursor.db is connections[REPLICA]
        with transaction.atomic(), prepared_cursor() as cursor:
            assert cursor.db is connections["default"]
    assert router.db_for_read(Project) == "default"
    assert not router.allow_migrate(REPLICA, "relationships")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("where", "reason", "said"),
    [
        ({}, "foreign", "The replica is neither a standby nor a node of the primary's Citus."),
        (NOBODY_LISTENS, "away", "The replica does not answer (OperationalError)."),
    ],
    ids=["no standby", "nobody there"],
)
def test_what_is_no_replica_is_not_read_and_named_by_the_check(
    where: dict[str, object], reason: str, said: str
) -> None:
    with replica_at(**where):
        (warning,) = check_replica(databases=["default"])
        assert (warning.id, warning.msg) == ("rapport.W003", said)
        replica._ask_again_at = None
        with pytest.raises(Unfit) as refused:
            replica.age()
        assert refused.value.reason == reason


# As a coordinator of one node has them while that node lacks what the coordinator knows.
OUT_OF_STEP = """
CREATE TABLE pg_dist_partition AS SELECT 'relationships_relationship'::regclass AS logicalrelid;
CREATE TABLE pg_dist_local_group AS SELECT 1 AS groupid;
CREATE TABLE pg_dist_node AS
SELECT 1 AS nodeid, 'a' AS nodename, 1 AS nodeport, 1 AS groupid, true AS isactive, false AS metadatasynced
"""


@pytest.mark.django_db(transaction=True)
def test_a_node_is_not_read_while_none_is_in_step() -> None:
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT to_regclass('pg_dist_node')")
        if cursor.fetchone()[0]:
            pytest.skip("this database is distributed")
        cursor.execute(OUT_OF_STEP)
        try:
            with replica_at(), pytest.raises(Unfit, match="neither a standby nor a node"):
                replica.age()
        finally:
            cursor.execute("DROP TABLE pg_dist_partition, pg_dist_local_group, pg_dist_node")


@pytest.mark.django_db
def test_what_was_away_is_left_alone_for_a_while_and_then_looked_at_by_one() -> None:
    with replica_at(**NOBODY_LISTENS):
        for said in ("does not answer", "a moment ago", "a moment ago"):
            with pytest.raises(Unfit, match=said):
                replica.age()
        assert replica._ask_again_at is not None
        assert 0 < replica._ask_again_at - time.monotonic() <= RETRY_SECONDS
        replica._ask_again_at = time.monotonic()
        for said in ("does not answer", "a moment ago"):
            with pytest.raises(Unfit, match=said):
                replica.age()


def test_without_a_replica_there_is_nothing_to_check() -> None:
    assert check_replica(databases=["default"]) == check_replica() == []
    with pytest.raises(Unfit):
        replica.age()


@pytest.mark.parametrize("behind", [1, 2])
def test_the_check_asks_again_before_it_says_that_a_replica_is_behind(
    behind: int, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """Where nobody commits, a line of the log that is on its way looks as old as the last commit."""
    settings.REPLICA_LIMIT_SECONDS = 0.01
    answers = iter([True] * behind + [False])

    def age() -> float:
        if next(answers):
            raise Unfit("behind", "the replica is 37.2 s behind", 37.2)
        return 0.0

    monkeypatch.setattr(replica, "age", age)
    monkeypatch.setattr("config.checks._migrations", lambda alias: set())

    said = [warning.msg for warning in check_replica(databases=["default"])]
    assert said == ["The replica is 37.2 s behind."] * (behind - 1)
