"""Distribute the tables, step by step.

Each step is one transaction and records its progress: distributed tables are in Citus' own catalogue, and foreign keys
that must be restored are in a table of ours. So if it was killed, the same command does what is left. Citus copies a
table through the coordinator and locks it against changes meanwhile.
"""

from collections.abc import Callable, Iterator

from django.db import ProgrammingError, connection, transaction
from psycopg import sql

from config.postgresql.sessions import execute, sqlstate
from upkeep.distribution.tables import KEPT_KEYS, tables, unfinished

# Settings of the database, for all new sessions. Triggers are safe, as ours change only rows of their own shard. SET
# LOCAL must reach the nodes (upkeep.erasure.allow_erasure). A statement over many shards runs on one after the other,
# so that its transaction can continue. The last are for a node that is cut off, which is soon given up; nodes do the
# same with a coordinator, whose locks are released then.
SETTINGS = {
    "citus.enable_unsafe_triggers": "on",
    "citus.propagate_set_commands": "local",
    "citus.multi_shard_modify_mode": "sequential",
    "citus.node_connection_timeout": "3s",
    "tcp_keepalives_idle": "5",
    "tcp_keepalives_interval": "2",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "10s",
}
# The same for the coordinator's connections to nodes, which are only in its server's configuration.
_TO_NODES = " keepalives_idle=5 keepalives_interval=2 keepalives_count=3 tcp_user_timeout=10000"
_NOT_ALLOWED = "42501"  # SQLSTATE
_LOCK = 0x52_41_50_50  # one distribution at a time; the server releases it when our session ends

_KEYS = """
SELECT conrelid::regclass::text AS held_by, conname::text AS name, pg_get_constraintdef(oid) AS rule
  FROM pg_constraint WHERE contype = 'f'
   AND (conrelid::regclass::text = ANY(%(tables)s) OR confrelid::regclass::text = ANY(%(tables)s))
"""


def distribute(*, shards: int, told: Callable[[str], None]) -> None:
    """Do what is left, and call `told` after each step. Call it outside a transaction. Raises DatabaseError."""
    execute("SELECT pg_advisory_lock(%s)", [_LOCK])
    try:
        for setting, value in {**SETTINGS, "citus.shard_count": str(shards)}.items():
            execute(sql.SQL("SET {} = {}").format(sql.SQL(setting), sql.Literal(value)))
        _bound_silence(told)
        for step in _steps():
            told(step)
    finally:
        execute("SELECT pg_advisory_unlock(%s)", [_LOCK])


def _steps() -> Iterator[str]:
    left = [table for table in tables() if not table.done]
    if left and not unfinished():
        _set_keys_aside([table.name for table in left if not table.copied])
        yield "settings of the database; foreign keys set aside"
    for table in left:
        execute(table.statement, table.values)
        yield f"{table.name}: {table.rows} rows"
    if unfinished():
        _put_keys_back()
        yield "foreign keys are back"
        for table in tables():
            execute("SELECT truncate_local_data_after_distributing_table(%s)", [table.name])
        execute(sql.SQL("DROP TABLE {}").format(sql.Identifier(KEPT_KEYS)))
        execute("ANALYZE")
        yield "what the coordinator held of the tables is gone"


def _bound_silence(told: Callable[[str], None]) -> None:
    """Limit how long a silent node is waited for, unless that is set already or may not be set from here."""
    given = execute("SHOW citus.node_conninfo")[0][0]
    if "tcp_user_timeout" in given:
        return
    try:
        execute(sql.SQL("ALTER SYSTEM SET citus.node_conninfo = {}").format(sql.Literal(given + _TO_NODES)))
        execute("SELECT pg_reload_conf()")
    except ProgrammingError as error:
        if sqlstate(error) != _NOT_ALLOWED:
            raise
        told(f"citus.node_conninfo stays as it is; have your provider add{_TO_NODES}")


@transaction.atomic
def _set_keys_aside(names: list[str]) -> None:
    """Drop and record foreign keys, as Citus refuses a table that an undistributed one refers to."""
    kept = sql.Identifier(KEPT_KEYS)
    execute(sql.SQL("CREATE TABLE {} AS " + _KEYS).format(kept), {"tables": names})
    for table, name, _ in execute(sql.SQL("SELECT held_by, name, rule FROM {}").format(kept)):
        drop = sql.SQL("ALTER TABLE {} DROP CONSTRAINT {}")
        execute(drop.format(sql.Identifier(table), sql.Identifier(name)))
    for setting, value in SETTINGS.items():
        alter = sql.SQL("ALTER DATABASE {} SET {} = {}")
        name = str(connection.settings_dict["NAME"])
        execute(alter.format(sql.Identifier(name), sql.SQL(setting), sql.Literal(value)))


def _put_keys_back() -> None:
    kept = sql.Identifier(KEPT_KEYS)
    for table, name, rule in execute(
        sql.SQL("SELECT held_by, name, rule FROM {} ORDER BY name").format(kept)
    ):
        with transaction.atomic():
            add = sql.SQL("ALTER TABLE {} ADD CONSTRAINT {} {}")
            execute(add.format(sql.Identifier(table), sql.Identifier(name), sql.SQL(rule)))
            execute(sql.SQL("DELETE FROM {} WHERE name = %s").format(kept), [name])
