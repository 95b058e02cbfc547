import psycopg
import pytest
from django.db import connection, connections
from pytest_django.fixtures import Settings

from relationships.direct import direct_connection

pytestmark = pytest.mark.django_db


def address() -> str:
    """Of the tests' own database."""
    parameters = connections["default"].get_connection_params()
    named = {key: parameters.get(key) for key in ("host", "port", "user", "password", "dbname")}
    return psycopg.conninfo.make_conninfo(**{key: value for key, value in named.items() if value})


def asked(session: "psycopg.Connection[object]", question: bytes) -> object:
    row = session.execute(question).fetchone()
    assert isinstance(row, tuple)
    return row[0]


def test_it_is_a_session_of_its_own_where_djangos_connections_are() -> None:
    with direct_connection(application_name="one's own") as session, connection.cursor() as cursor:
        cursor.execute("SELECT current_database(), pg_backend_pid()")
        database, pid = cursor.fetchone()

        assert asked(session, b"SELECT current_database()") == database
        assert asked(session, b"SELECT pg_backend_pid()") != pid
        assert asked(session, b"SHOW application_name") == "one's own"
        assert session.autocommit


def test_it_goes_past_a_pooler_where_there_is_a_direct_address(settings: Settings) -> None:
    settings.DATABASE_DIRECT_URL = f"{address()} options='-c geqo=off'"

    with direct_connection() as session:
        assert asked(session, b"SHOW geqo") == "off"
        assert session.prepare_threshold is not None


def test_what_may_be_shared_prepares_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(connections["default"].settings_dict["OPTIONS"], "prepare_threshold")

    with direct_connection() as session:
        assert session.prepare_threshold is None


def test_an_address_that_does_not_answer_is_an_error(settings: Settings) -> None:
    settings.DATABASE_DIRECT_URL = "postgresql://127.0.0.1:1/nowhere"

    with pytest.raises(psycopg.OperationalError):
        direct_connection()
