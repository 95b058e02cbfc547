"""A database for real processes: one per session, on the tests' server."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import psutil
import psycopg
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection, connections
from psycopg import sql

from config.embedded_postgres import create_database as create_embedded_database
from config.embedded_postgres import ensure_running, running_pid, socket_dir, stop
from config.embedded_postgres.layout import PORT, USER


@dataclass(frozen=True)
class LiveDatabase:
    """A database's address, and the environment of processes that use it."""

    parameters: dict[str, Any]  # libpq's
    environment: dict[str, str]

    @property
    def name(self) -> str:
        return str(self.parameters["dbname"])

    def connect(self) -> psycopg.Connection[tuple[Any, ...]]:
        return psycopg.connect(autocommit=True, connect_timeout=5, **self.parameters)

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        with self.connect() as session:
            return session.execute(statement.encode(), values).fetchall()

    def row(self, statement: str, *values: object) -> tuple[Any, ...] | None:
        return next(iter(self.rows(statement, *values)), None)

    def kill_server(self) -> None:
        """kill -9 the server's first process. Only for an embedded server of this test's own."""
        assert "RAPPORT_DATA_DIR" in self.environment, "the server of the tests is everybody's"
        pid = running_pid(_postgres(self.environment))
        assert pid is not None
        os.kill(pid, signal.SIGKILL)

    def send_all(self, number: signal.Signals) -> None:
        """Send a signal to each process of the server, which must be this test's own."""
        assert "RAPPORT_DATA_DIR" in self.environment, "the server of the tests is everybody's"
        pid = running_pid(_postgres(self.environment))
        assert pid is not None
        for process in [psutil.Process(pid), *psutil.Process(pid).children()]:
            with suppress(psutil.NoSuchProcess):
                process.send_signal(number)


def create_database(name: str, *, template: str = "template1") -> LiveDatabase:
    """Copy the template, to which nobody may be connected. An existing database of that name is replaced."""
    database = _beside_the_tests_own(name)
    with maintenance() as session:
        _drop(session, name)
        words = map(sql.Identifier, (name, template))
        session.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(*words))
    return database


@contextmanager
def own_server(folder: Path, *, files: Path | None = None) -> Iterator[LiveDatabase]:
    """An embedded server of a test's own, started like by the service: with an empty database, or on a copy of the
    `files` of another that was stopped.
    """
    environment = {"RAPPORT_DATA_DIR": str(folder)}
    data_dir = _postgres(environment)
    if files:
        folder.mkdir(exist_ok=True)
        subprocess.run(["cp", "-Rp", files, data_dir], check=True)  # with their owner
    ensure_running(data_dir)
    create_embedded_database(data_dir)
    parameters = {"dbname": "rapport", "user": USER, "host": str(socket_dir(data_dir)), "port": PORT}
    yield LiveDatabase(parameters, environment)
    stop(data_dir, mode="immediate")


def _postgres(environment: dict[str, str]) -> Path:
    return Path(environment["RAPPORT_DATA_DIR"]) / "postgres"


def drop_database(name: str) -> None:
    with maintenance() as session:
        _drop(session, name)


@contextmanager
def django_on(database: LiveDatabase) -> Iterator[None]:
    """Let the models of this process use that database, and wait for its disk like the service."""
    settings_dict = connections["default"].settings_dict
    before = {key: settings_dict[key] for key in ("NAME", "USER", "PASSWORD", "HOST", "PORT", "OPTIONS")}
    parameters = database.parameters
    connection.close()
    settings_dict.update(
        OPTIONS={key: value for key, value in settings_dict["OPTIONS"].items() if key != "options"},
        NAME=database.name,
        USER=parameters.get("user", ""),
        PASSWORD=parameters.get("password", ""),
        HOST=parameters.get("host", ""),
        PORT=parameters.get("port", ""),
    )
    try:
        yield
    finally:
        connection.close()
        settings_dict.update(before)


def empty() -> None:
    """Delete every row of the database that Django uses. The session of a process that was killed may still end a
    statement: then once more.
    """
    for tries_left in (2, 1, 0):
        try:
            call_command("flush", interactive=False, verbosity=0, inhibit_post_migrate=True)
        except CommandError as error:
            if not (tries_left and isinstance(error.__cause__, OperationalError)):
                raise
        else:
            return


def _beside_the_tests_own(name: str) -> LiveDatabase:
    settings_dict = connections["default"].settings_dict
    named = {key: settings_dict.get(key.upper()) for key in ("host", "port", "user", "password")}
    asked = {key: settings_dict["OPTIONS"].get(key) for key in ("host", "port")}
    parameters = {key: named[key] or asked.get(key) for key in named}
    parameters = {"dbname": name, **{key: value for key, value in parameters.items() if value}}
    return LiveDatabase(parameters, {"DATABASE_URL": _url(parameters)})


def _url(parameters: dict[str, Any]) -> str:
    """A DATABASE_URL, with host and port in the query, where the host may also be a socket's folder."""
    user, password = (quote(str(parameters.get(key, "")), safe="") for key in ("user", "password"))
    query = urlencode([(key, parameters[key]) for key in ("host", "port") if key in parameters])
    return f"postgresql://{user}{':' + password if password else ''}@/{parameters['dbname']}?{query}"


@contextmanager
def maintenance() -> Iterator[psycopg.Connection[Any]]:
    """A session on the tests' server, outside of their databases."""
    with psycopg.connect(autocommit=True, **_beside_the_tests_own("postgres").parameters) as session:
        yield session


def _drop(session: psycopg.Connection[Any], name: str) -> None:
    session.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))
