import psycopg
import pytest
from django.db import (
    InterfaceError,
    InternalError,
    OperationalError,
    ProgrammingError,
    connection,
    connections,
)
from psycopg import _queries
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings

from config.postgresql.sessions import (
    database_went_away,
    direct_connection,
    node_went_away,
    prepared_cursor,
    sqlstate,
)

pytestmark = pytest.mark.django_db


def prepared_statements() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements")
        return [statement for (statement,) in cursor.fetchall()]


def test_a_statement_is_prepared_at_its_first_use_and_kept() -> None:
    for number in (1, 2):
        with prepared_cursor() as cursor:
            cursor.execute("SELECT %s::int AS chosen_for_this_test", [number])
            assert cursor.fetchone() == (number,)

    assert [statement for statement in prepared_statements() if "chosen_for_this_test" in statement] == [
        "SELECT $1::int AS chosen_for_this_test"
    ]


def test_a_long_statement_is_taken_apart_once() -> None:
    statement = f"SELECT %(number)s::int /* {'long ' * 2_000} */"
    taken_apart = _queries._query2pg.cache_info().misses
    for number in (1, 2):
        with prepared_cursor() as cursor:
            cursor.execute(statement, {"number": number})

    assert _queries._query2pg.cache_info().misses == taken_apart + 1


def test_djangos_query_log_sees_it(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(1), prepared_cursor() as cursor:
        cursor.execute("SELECT 1")


def test_it_works_where_preparing_is_turned_off(monkeypatch: pytest.MonkeyPatch) -> None:
    connection.ensure_connection()
    monkeypatch.setattr(connection.connection, "prepare_threshold", None)

    with prepared_cursor() as cursor:
        cursor.execute("SELECT %s::int AS not_prepared_here", [7])
        assert cursor.fetchone() == (7,)

    assert not [
        statement for statement in prepared_statements() if "SELECT $1::int AS not_prepared" in statement
    ]


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
    with direct_connection() as session, connection.cursor() as cursor:
        cursor.execute("SELECT current_database(), pg_backend_pid()")
        database, pid = cursor.fetchone()

        assert asked(session, b"SELECT current_database()") == database
        assert asked(session, b"SELECT pg_backend_pid()") != pid
        assert asked(session, b"SHOW application_name") == "rapport-test"
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


def test_a_server_that_is_gone_without_a_word_is_noticed_by_every_session_unless_its_address_says_otherwise(
    settings: Settings,
) -> None:
    def noticed(session: psycopg.Connection[object]) -> str:
        return session.info.get_parameters()["tcp_user_timeout"]

    connection.ensure_connection()
    assert noticed(connection.connection) == "30000"
    with direct_connection() as session:
        assert noticed(session) == "30000"

    settings.DATABASE_DIRECT_URL = address()
    with direct_connection() as session:
        assert noticed(session) == "30000"

    settings.DATABASE_DIRECT_URL += " tcp_user_timeout=5000"
    with direct_connection() as session:
        assert noticed(session) == "5000"


def test_a_statement_beyond_the_databases_limits_does_not_mean_that_it_went_away() -> None:
    with pytest.raises(OperationalError) as raised, connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(['1'] * 1665)}")

    assert sqlstate(raised.value) == "54011"
    assert not database_went_away(raised.value)


@pytest.mark.parametrize(
    ("state", "of_a_node"), [("08006", True), ("08P01", False)], ids=["Citus", "PgBouncer"]
)
def test_a_pooler_that_lost_the_database_does_not_speak_of_a_node(state: str, of_a_node: bool) -> None:
    with pytest.raises(OperationalError) as raised, connection.cursor() as cursor:
        cursor.execute(f"DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '{state}'; END $$")

    assert database_went_away(raised.value)
    assert node_went_away(raised.value) is of_a_node


def test_a_write_that_a_server_does_not_take_may_do_well_later() -> None:
    with pytest.raises(InternalError) as raised, connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION READ ONLY")
        cursor.execute("CREATE TABLE anything ()")

    assert database_went_away(raised.value)


@pytest.mark.parametrize(
    ("error", "went_away"),
    [
        (OperationalError("connection refused"), True),
        (InterfaceError("connection already closed"), True),
        (ProgrammingError("syntax error"), False),
        (RuntimeError("mistake"), False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_has_no_code_is_told_by_its_class(error: Exception, went_away: bool) -> None:
    assert database_went_away(error) is went_away
    assert sqlstate(error) == ""
