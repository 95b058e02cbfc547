"""Databases of their own for each system, on the one server."""

import psycopg
from psycopg import sql

from benchmarks.peers.systems.base import House

_TOLD = (
    "shared_buffers maintenance_work_mem effective_cache_size random_page_cost jit max_wal_size wal_level"
    " wal_recycle max_connections synchronous_commit fsync"
).split()


def create_database(house: House, name: str, *, template: str = "template0") -> str:
    """A fresh one, and its address; whatever had this name is dropped."""
    drop_database(house, name)
    with _server(house) as connection:
        made = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
        connection.execute(made.format(sql.Identifier(name), sql.Identifier(template)))
    return house.database_url(name)


def drop_database(house: House, name: str) -> None:
    with _server(house) as connection:
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def has_database(house: House, name: str) -> bool:
    with _server(house) as connection:
        found = connection.execute("SELECT FROM pg_database WHERE datname = %s", [name])
        return found.fetchone() is not None


def server_version(house: House) -> str:
    with _server(house) as connection:
        row = connection.execute("SHOW server_version").fetchone()
        assert row is not None
        return str(row[0])


def server_settings(house: House) -> str:
    """What differs from PostgreSQL's own defaults."""
    told = "SELECT name, current_setting(name) FROM pg_settings WHERE source = 'configuration file' AND name = ANY(%s)"
    with _server(house) as connection:
        return ", ".join(f"{name} {value}" for name, value in connection.execute(told, [_TOLD]).fetchall())


def name_of(house: House) -> str:
    """By the system's folder in this run."""
    return house.folder.name.replace("-", "_")


def _server(house: House) -> psycopg.Connection:
    return psycopg.connect(house.database_url("postgres"), autocommit=True)
