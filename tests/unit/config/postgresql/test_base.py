"""A connection that was kept is used again without a question, unless its server went away meanwhile."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from django.db import OperationalError, connections, transaction
from django.db import connection as own

from config.database import use_pool
from config.postgresql.base import DatabaseWrapper
from config.postgresql.silence import WatchedConnection
from tests.waiting import wait_until

PIDS = "SELECT pid FROM pg_stat_activity WHERE application_name = 'kept' AND pid <> pg_backend_pid()"
STATEMENTS = "SELECT query FROM pg_stat_activity WHERE application_name = 'kept'"


@pytest.fixture
def kept(transactional_db: None) -> Iterator[DatabaseWrapper]:
    settings = connections["default"].settings_dict
    options = {**settings["OPTIONS"], "application_name": "kept"}
    wrapper = DatabaseWrapper(
        {**settings, "OPTIONS": options, "CONN_MAX_AGE": None, "CONN_HEALTH_CHECKS": True}, "kept"
    )
    connections["kept"] = wrapper
    yield wrapper
    del connections["kept"]
    wrapper.close()


def ask(wrapper: DatabaseWrapper) -> int:
    """As a request does; the process of the server that answered."""
    wrapper.close_if_unusable_or_obsolete()  # which Django does as a request begins
    with wrapper.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid() AS asked")
        return int(cursor.fetchone()[0])


def test_a_connection_is_used_again_and_nothing_is_asked_before_it_is(kept: DatabaseWrapper) -> None:
    first = ask(kept)
    kept.close_if_unusable_or_obsolete()

    kept.close_if_health_check_failed()

    with own.cursor() as cursor:
        cursor.execute(STATEMENTS)
        assert "asked" in cursor.fetchone()[0]  # still the last statement of that connection
    assert ask(kept) == first


def test_a_connection_whose_server_went_away_is_replaced(kept: DatabaseWrapper) -> None:
    first = ask(kept)
    with own.cursor() as cursor:
        cursor.execute(f"SELECT pg_terminate_backend(pid, 5000) FROM ({PIDS}) AS others")
        assert cursor.fetchall() == [(True,)]

    assert ask(kept) != first


def test_a_connection_with_news_that_still_answers_is_kept(kept: DatabaseWrapper) -> None:
    with kept.cursor() as cursor:
        cursor.execute("LISTEN news")
    first = ask(kept)
    with own.cursor() as cursor:
        cursor.execute("NOTIFY news")

    assert ask(kept) == first


def test_a_connection_left_amid_a_failed_transaction_is_not_used(kept: DatabaseWrapper) -> None:
    with transaction.atomic(using="kept"), kept.cursor() as cursor:
        with pytest.raises(psycopg.errors.UndefinedTable):
            cursor.cursor.execute("SELECT * FROM nothing_of_ours")
        assert not kept.is_usable()
        transaction.set_rollback(True, using="kept")

    assert kept.is_usable()


def test_a_connection_that_was_closed_or_never_made_is_not_used(kept: DatabaseWrapper) -> None:
    assert not kept.is_usable()

    ask(kept)
    assert kept.connection is not None
    kept.connection.close()

    assert not kept.is_usable()


@pytest.fixture
def pooled(transactional_db: None) -> Iterator[Callable[..., DatabaseWrapper]]:
    """Makes connections of one thread each, which share a pool of one."""
    made: list[DatabaseWrapper] = []

    def make(**changes: object) -> DatabaseWrapper:
        settings = connections["default"].settings_dict
        settings = {**settings, "OPTIONS": {**settings["OPTIONS"]}, **changes}
        use_pool(settings, size=1, timeout=0.05)
        settings["OPTIONS"]["pool"]["connection_class"] = WatchedConnection
        made.append(DatabaseWrapper(settings, "pooled"))
        made[-1].inc_thread_sharing()
        return made[-1]

    yield make
    for one in made:
        one.close()
    made[0].close_pool()


def test_a_connection_that_another_thread_uses_is_waited_for(pooled: Callable[..., DatabaseWrapper]) -> None:
    used, wanted = pooled(), pooled()
    first = ask(used)

    with ThreadPoolExecutor(1) as thread:
        asked = thread.submit(ask, wanted)
        wait_until(lambda: used.pool.get_stats().get("requests_errors", 0) > 1, what="two waits in vain")
        used.close()

        assert asked.result(timeout=10) == first


def test_a_server_that_accepts_no_connection_is_not_waited_for(
    pooled: Callable[..., DatabaseWrapper],
) -> None:
    wanted = pooled(HOST="127.0.0.1", PORT=1)

    with pytest.raises(OperationalError, match=r"couldn't get a connection"):
        ask(wanted)

    assert wanted.pool.get_stats()["requests_num"] < 100
