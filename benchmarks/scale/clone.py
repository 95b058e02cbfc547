"""Fills one table with copies of the templates' rows, and builds its indexes."""

from typing import Any

import psycopg
from django.db import connection
from psycopg import sql

from benchmarks.runner import say
from benchmarks.scale.templates import TABLES, VISITS

Server = psycopg.Connection[Any]

_COPY = """
INSERT INTO {table} ({names})
SELECT {values}
  FROM scale.number r JOIN scale.{table} t ON t.pattern = r.number %% {patterns}
 WHERE t.visit = %(visit)s AND r.number %% %(one_in)s = 0 AND r.number < %(below)s
"""
_NAMES = """
SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum
"""
_CONSTRAINTS = """
SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint
 WHERE conrelid = %s::regclass AND contype IN ('p', 'u') ORDER BY contype
"""
_INDEXES = """
SELECT c.relname, pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
 WHERE i.indrelid = %s::regclass AND NOT EXISTS (SELECT FROM pg_constraint o WHERE o.conindid = i.indexrelid)
"""
# Enough to sort twenty million keys on a server that does nothing else.
_SETTINGS = {
    "maintenance_work_mem": "1GB",
    "max_parallel_maintenance_workers": "2",
    "work_mem": "256MB",
    "synchronous_commit": "off",
    "session_replication_role": "replica",  # foreign keys are not checked
}


def clone(table: str, *, below: int, one_in: int, patterns: int) -> None:
    """Empty and fill the table in one transaction, so that its rows are not written to the WAL. Then VACUUM ANALYZE.

    Only relationships with a number below `below` get rows, and of these one in `one_in`. Foreign keys of other tables
    to this one are dropped, as nothing is written afterwards.
    """
    parameters = connection.get_connection_params()
    own = {name: parameters[name] for name in ("dbname", "user", "host", "port")}
    with psycopg.connect(**own, autocommit=True) as server:
        for name, value in _SETTINGS.items():
            server.execute(sql.SQL("SET {} = {}").format(sql.Identifier(name), sql.Literal(value)))
        statement = _statement(server, table, patterns)
        with server.transaction():
            definitions = _take_down(server, table)
            for visit in range(VISITS):
                say(f"{table}: rows, {visit + 1} of {VISITS}")
                server.execute(statement, {"visit": visit, "one_in": one_in, "below": below})
            say(f"{table}: indexes")
            for definition in definitions:
                server.execute(definition)
        server.execute(f"VACUUM (ANALYZE, PARALLEL 0) {table}")


def _take_down(server: Server, table: str) -> list[str]:
    """Remove the rows, keys and indexes. Return the statements that create the keys and indexes again."""
    keys = server.execute(_CONSTRAINTS, [table]).fetchall()
    indexes = server.execute(_INDEXES, [table]).fetchall()
    for name, _ in keys:
        server.execute(f'ALTER TABLE {table} DROP CONSTRAINT "{name}" CASCADE')
    for name, _ in indexes:
        server.execute(f'DROP INDEX "{name}"')
    server.execute(f"TRUNCATE {table}")
    definitions = [f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {text}' for name, text in keys]
    return definitions + [text.replace(" ON ONLY ", " ON ") for _, text in indexes]


def _statement(server: Server, table: str, patterns: int) -> sql.SQL:
    names = [name for (name,) in server.execute(_NAMES, [table])]
    own = {"relationship_id": "r.relationship_id", "project_id": "r.project_id", **TABLES[table]}
    values = [own.get(name, "{column}").format(column=f't."{name}"') for name in names]
    quoted = ", ".join(f'"{name}"' for name in names)
    return sql.SQL(_COPY.format(table=table, names=quoted, values=", ".join(values), patterns=patterns))
