"""A pooled connection is handed over without a question, unless its server went away meanwhile."""

from collections.abc import Iterator

import psycopg
import pytest
from django.db import connection as own
from django.db import connections

from config.postgresql.base import DatabaseWrapper

PIDS = "SELECT pid FROM pg_stat_activity WHERE application_name = 'pooled' AND pid <> pg_backend_pid()"
STATEMENTS = "SELECT query FROM pg_stat_activity WHERE application_name = 'pooled'"


@pytest.fixture
def pooled(transactional_db: None) -> Iterator[DatabaseWrapper]:
    settings = connections["default"].settings_dict
    options = {**settings["OPTIONS"], "application_name": "pooled", "pool": {"min_size": 1, "max_size": 1}}
    wrapper = DatabaseWrapper(
        {**settings, "OPTIONS": options, "CONN_MAX_AGE": 0, "CONN_HEALTH_CHECKS": False}
    )
    wrapper.alias = "pooled"
    yield wrapper
    wrapper.close()
    wrapper.close_pool()


def ask(wrapper: DatabaseWrapper) -> int:
    """As a request does; the process of the server that answered."""
    with wrapper.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid() AS asked")
        pid = int(cursor.fetchone()[0])
    wrapper.close()
    return pid


def test_a_connection_is_used_again_and_nothing_is_asked_before_it_is(pooled: DatabaseWrapper) -> None:
    first = ask(pooled)

    pooled.connect()

    with own.cursor() as cursor:
        cursor.execute(STATEMENTS)
        assert "asked" in cursor.fetchone()[0]  # still the last statement of that connection
    assert ask(pooled) == first


def test_a_connection_whose_server_went_away_is_replaced(pooled: DatabaseWrapper) -> None:
    first = ask(pooled)
    with own.cursor() as cursor:
        cursor.execute(f"SELECT pg_terminate_backend(pid, 5000) FROM ({PIDS}) AS others")
        assert cursor.fetchall() == [(True,)]

    assert ask(pooled) != first


def test_a_connection_with_news_that_still_answers_is_kept(pooled: DatabaseWrapper) -> None:
    with pooled.cursor() as cursor:
        cursor.execute("LISTEN news")
    first = ask(pooled)
    with own.cursor() as cursor:
        cursor.execute("NOTIFY news")

    assert ask(pooled) == first


def test_a_database_that_is_away_is_told_as_ever(pooled: DatabaseWrapper) -> None:
    pooled.settings_dict["OPTIONS"]["pool"] |= {"min_size": 0, "timeout": 0.2}
    pooled.settings_dict["PORT"] = 1

    with pytest.raises(psycopg.OperationalError):
        pooled.get_new_connection({})
