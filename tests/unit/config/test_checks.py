import psycopg
import pytest
from django.db import connections
from pytest_django.fixtures import Settings

from config import checks, environment
from config.checks import check_environment, check_pooler, check_security, check_versions
from config.postgresql.replica import REPLICA
from tests.fixtures.replica import replica_at


def test_a_variable_that_can_not_be_read_is_named_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = ("RAPPORT_WORKERS", "'many' can't be read", "write a whole number, 1 to 64")
    monkeypatch.setattr(environment, "PROBLEMS", [problem])
    (error,) = check_environment()
    assert (error.id, error.msg) == ("rapport.E001", "RAPPORT_WORKERS 'many' can't be read.")
    assert error.hint == "Write a whole number, 1 to 64."


@pytest.mark.parametrize(
    ("plugin", "found"),
    [
        ("config.loading", 0),
        ("config.loading.load_code", 0),
        ("shop.memory", 1),
        ("config.nowhere", 1),
        (".shop", 1),
    ],
)
def test_a_plugin_that_can_not_be_imported_is_named(
    plugin: str, found: int, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "PROBLEMS", [])
    settings.PLUGINS = [plugin]
    assert [error.msg for error in check_environment()] == [
        f"RAPPORT_PLUGINS '{plugin}' can't be imported."
    ] * found


def test_a_shared_database_wants_a_shared_secret_key(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.DATABASE_URL = "postgresql://elsewhere/rapport"
    monkeypatch.delenv("RAPPORT_SECRET_KEY", raising=False)
    assert [warning.id for warning in check_security()] == ["rapport.W001"]
    monkeypatch.setenv("RAPPORT_SECRET_KEY", "one for all machines")
    assert check_security() == []


@pytest.mark.parametrize(
    ("hosts", "found"),
    [(["localhost", "127.0.0.1"], []), (["rapport.example.com"], ["rapport.W002"])],
    ids=["this machine", "others"],
)
def test_debug_is_for_this_machine_alone(settings: Settings, hosts: list[str], found: list[str]) -> None:
    settings.DEBUG, settings.ALLOWED_HOSTS = True, hosts
    assert [warning.id for warning in check_security()] == found


@pytest.mark.django_db
def test_the_database_in_use_is_new_enough() -> None:
    assert check_versions(databases=["default"]) == []


@pytest.mark.django_db
def test_a_database_that_is_too_old_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "OLDEST_POSTGRESQL", 990000)
    monkeypatch.setattr(checks, "OLDEST_PGVECTOR", (99, 0))
    server, vector = check_versions(databases=["default"])
    assert (server.id, vector.id) == ("rapport.E002", "rapport.E002")
    assert "PostgreSQL is version" in server.msg
    assert "pgvector is version" in vector.msg


@pytest.mark.django_db
def test_an_extension_that_is_older_than_its_server_has_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the server's package was upgraded, and the database was not."""
    monkeypatch.setattr(checks, "OLDEST_PGVECTOR", (99, 0))
    monkeypatch.setattr(checks, "_VERSIONS", checks._VERSIONS.replace("e.default_version,", "'99.0',", 1))
    (found,) = check_versions(databases=["default"])
    assert (found.id, found.hint) == (
        "rapport.E002",
        "In this database, by a superuser: ALTER EXTENSION vector UPDATE.",
    )


@pytest.mark.django_db
def test_an_account_that_may_not_create_the_extension_is_told_before_migrate_fails() -> None:
    with replica_at(NAME="template1"):
        assert check_versions(databases=[REPLICA]) == []
        with connections[REPLICA].cursor() as cursor:
            cursor.execute("SET ROLE pg_monitor")
        (found,) = check_versions(databases=[REPLICA])
    assert (found.id, found.hint) == (
        "rapport.W005",
        "In this database, by a superuser: CREATE EXTENSION vector.",
    )


def test_no_database_is_asked_unless_one_is_named() -> None:
    assert check_versions() == []


@pytest.mark.django_db
def test_a_pooler_where_sessions_must_not_be_shared_is_named(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = connections["default"].get_connection_params()
    named = {key: given[key] for key in ("host", "port", "dbname", "user", "password") if given.get(key)}
    settings.DATABASE_DIRECT_URL = psycopg.conninfo.make_conninfo(**named)
    connections["default"].ensure_connection()
    monkeypatch.setattr(connections["default"].connection, "prepare_threshold", 5)
    assert check_pooler(databases=["default"]) == check_pooler() == []

    monkeypatch.setattr(psycopg.ConnectionInfo, "backend_pid", -1)  # a pooler's own
    with replica_at():
        connections[REPLICA].ensure_connection()
        monkeypatch.setattr(connections[REPLICA].connection, "prepare_threshold", 5)
        found = check_pooler(databases=["default"])
    assert [(each.id, each.msg.partition(" ")[0]) for each in found] == [
        ("rapport.W004", "DATABASE_URL"),
        ("rapport.W004", "DATABASE_REPLICA_URL"),
        ("rapport.W004", "DATABASE_DIRECT_URL"),
    ]
    monkeypatch.setattr(connections["default"].connection, "prepare_threshold", None)
    settings.DATABASE_DIRECT_URL = "postgresql://127.0.0.1:1/nowhere"
    (away,) = check_pooler(databases=["default"])
    assert away.msg.startswith("DATABASE_DIRECT_URL can't be asked: connection failed")
