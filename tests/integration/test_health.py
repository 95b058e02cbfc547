"""The health endpoints while the database is away or in the way."""

from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import psycopg
import pytest
from django.db import connection, connections
from django.test import Client

from worker.heartbeat import beat


@pytest.fixture
def database_away(django_db_blocker: object, tmp_path: object) -> Iterator[None]:
    """Nobody is where the settings look for the database."""
    connection.close()
    settings_dict = connections["default"].settings_dict
    host = settings_dict["HOST"]
    settings_dict["HOST"] = str(tmp_path)
    yield
    connection.close()
    settings_dict["HOST"] = host


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("path", ["/readyz", "/readyz/worker"])
def test_without_the_database_readyz_says_so_at_once(path: str, database_away: None, client: Client) -> None:
    started = perf_counter()
    answer = client.get(path)

    assert answer.status_code == 503
    assert answer.json()["reasons"] == ["database: it does not answer (OperationalError)"]
    assert answer.json()["database"] is False
    assert answer.json().get("worker") is None
    assert perf_counter() - started < 5


@pytest.mark.django_db(transaction=True)
def test_without_the_database_the_process_is_alive_all_the_same(database_away: None, client: Client) -> None:
    assert client.get("/healthz").status_code == 200


@pytest.mark.django_db(transaction=True)
def test_without_the_database_a_scrape_fails_instead_of_saying_zero(
    database_away: None, client: Client
) -> None:
    answer = client.get("/metrics")

    assert answer.status_code == 503
    assert b"rapport_turns" not in answer.content


@pytest.mark.django_db(transaction=True)
def test_a_database_that_takes_no_more_connections_is_a_matter_for_an_operator_and_this_instance_serves(
    client: Client, tmp_path: Path
) -> None:
    beat(name="here/1c0ffee2:1:2", pool_restarts=0, counters={})
    settings_dict = connections["default"].settings_dict
    host, settings_dict["HOST"] = settings_dict["HOST"], str(tmp_path)  # where nobody is, for new ones
    try:
        ready, working = client.get("/readyz"), client.get("/readyz/worker")
    finally:
        settings_dict["HOST"] = host

    assert ready.status_code == 200
    assert working.json()["reasons"] == ["database: it takes no more connections; raise its max_connections"]


@pytest.mark.django_db(transaction=True)
def test_a_table_that_somebody_locks_makes_readyz_worker_say_no_and_not_hang(client: Client) -> None:
    beat(name="here/1c0ffee2:1:2", pool_restarts=0, counters={})
    parameters = connection.get_connection_params()
    parameters.pop("cursor_factory"), parameters.pop("context", None)
    with psycopg.connect(**parameters) as other:
        other.execute("LOCK TABLE relationships_turn IN ACCESS EXCLUSIVE MODE")
        assert client.get("/readyz/worker").status_code == 503
        assert client.get("/readyz").status_code == 200

    assert client.get("/readyz/worker").status_code == 200
