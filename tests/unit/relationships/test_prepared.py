import pytest
from django.db import DataError, connection
from pytest_django import DjangoAssertNumQueries

from relationships.prepared import prepared_cursor

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


def test_json_comes_as_text() -> None:
    with prepared_cursor() as cursor:
        cursor.execute("""SELECT '{"a": 1}'::jsonb""")
        assert cursor.fetchone() == ('{"a": 1}',)


def test_djangos_query_log_sees_it(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(1), prepared_cursor() as cursor:
        cursor.execute("SELECT 1")


def test_errors_are_djangos() -> None:
    with pytest.raises(DataError), prepared_cursor() as cursor:
        cursor.execute("SELECT 1 / 0")


def test_it_works_where_preparing_is_turned_off(monkeypatch: pytest.MonkeyPatch) -> None:
    connection.ensure_connection()
    monkeypatch.setattr(connection.connection, "prepare_threshold", None)

    with prepared_cursor() as cursor:
        cursor.execute("SELECT %s::int AS not_prepared_here", [7])
        assert cursor.fetchone() == (7,)

    assert not [
        statement for statement in prepared_statements() if "SELECT $1::int AS not_prepared" in statement
    ]
