"""Overwrite erased text in the database's own files.

A deleted row stays on disk until its space is reused, the planner's statistics contain samples of columns, and the
write-ahead log repeats everything, with old bytes in segments that wait for weeks to be reused. So renew the
statistics, rewrite every table, and go through all of the log.
"""

import time
from typing import Any, Protocol

from django.db import DatabaseError, transaction

from config.postgresql.sessions import again_after_deadlock, execute, sqlstate

_INSUFFICIENT_PRIVILEGE = "42501"
_POLL_SECONDS = 0.2

# Transactions that began before may still see deleted rows, which VACUUM then keeps, or hold locks that it would wait
# for. (A replica's sender never ends.)
_OLDER = """
SELECT pid::text, coalesce(nullif(application_name, ''), backend_type) FROM pg_stat_activity
 WHERE pid <> pg_backend_pid() AND datname = current_database() AND backend_type <> 'walsender'
   AND (backend_xid IS NOT NULL OR backend_xmin IS NOT NULL OR state LIKE 'idle in transaction%%')
   AND coalesce(xact_start, backend_start) < %(now)s
UNION ALL
SELECT gid, 'a prepared transaction' FROM pg_prepared_xacts
 WHERE database = current_database() AND prepared < %(now)s
"""
# Segments that wait to be reused: their names are after the present one's.
_SEGMENTS_AHEAD = """
SELECT count(*) FROM pg_ls_waldir()
 WHERE name ~ '^[0-9A-F]{24}$' AND name > pg_walfile_name(pg_current_wal_lsn())
"""
_TABLES = """
SELECT c.oid::regclass::text, pg_table_size(c.oid) FROM pg_class c
 WHERE c.relkind IN ('r', 'm') AND c.relpersistence <> 't' ORDER BY c.relnamespace, c.relname
"""
# Switching from an empty segment does nothing, so a message is written to it first.
_NEXT_SEGMENT = "SELECT pg_logical_emit_message(false, 'rapport', 'purge'), pg_switch_wal()"

# What may keep text besides the tables and the log, and what to do about it.
_ELSEWHERE = {
    "SELECT current_setting('archive_mode') <> 'off'": "The write-ahead log is archived: remove the old archive.",
    "SELECT EXISTS (SELECT 1 FROM pg_stat_replication)": "There are replicas: clean their files separately.",
    "SELECT EXISTS (SELECT 1 FROM pg_replication_slots)": "A replication slot holds old log back until it is consumed.",
    "SELECT current_setting('log_statement') IN ('mod', 'all') OR "
    "current_setting('log_min_duration_statement') <> '-1' OR "
    "current_setting('log_min_error_statement') NOT IN ('fatal', 'panic', 'log')": "The server's log may hold "
    "statements with people's words: remove the old log, and set log_min_error_statement = 'panic'.",
    "SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'pg_stat_statements')": "pg_stat_statements keeps "
    "statements: run SELECT pg_stat_statements_reset().",
}


class PurgeBlocked(Exception):
    """Transactions that began earlier are still open. The message names them."""


class Told(Protocol):
    def __call__(self, share: float, /, *, now: str) -> None:
        """Hear that another `share` of the work is done, of 1 in all, and what is done from here on."""


def purge_files(*, patience: float = 60.0, told: Told = lambda share, now: None) -> list[str]:
    """Rewrite every table and go through the whole log. Return what may still contain text, with what to do.

    Call it outside a transaction. Each table is locked while it is rewritten, and needs its own size in free space.
    Raises PurgeBlocked when older transactions last longer than `patience` seconds.
    """
    if renewed := _ask("SELECT has_table_privilege('pg_catalog.pg_statistic', 'DELETE')"):
        with transaction.atomic():  # so that the planner has some, even if what follows is cut short
            execute("DELETE FROM pg_catalog.pg_statistic")
            execute("ANALYZE")
    told(0.0, now="waiting for transactions that began earlier")
    now, deadline = _ask("SELECT clock_timestamp()"), time.monotonic() + patience
    while older := execute(_OLDER, {"now": now}):
        if time.monotonic() > deadline:
            named = ", ".join(f"{pid} ({what})" for pid, what in older[:5])
            raise PurgeBlocked(f"Transactions that began before the purge are still open: {named}.")
        time.sleep(_POLL_SECONDS)
    remarks = []
    if not renewed:
        remarks.append(
            "The planner's statistics hold samples of columns: purge as a superuser to remove them."
        )
    _rewrite_tables(told)
    told(0.0, now="overwriting the write-ahead log")
    if not _overwrite_log():
        remarks.append(
            "The write-ahead log keeps old text until it is reused: purge as a superuser to remove it."
        )
    return remarks + [remark for question, remark in _ELSEWHERE.items() if _ask(question)]


def _rewrite_tables(told: Told) -> None:
    """One after the other, the catalogues' too. Those that the account may not rewrite are skipped by the server."""
    tables = execute(_TABLES)
    total, share = sum(size for _, size in tables) or 1, 0.0
    for name, size in tables:
        told(share, now=f"rewriting {name}")
        share = size / total
        if _ask("SELECT to_regclass(%s) IS NOT NULL", name):  # as it may be gone by now
            _done(f"VACUUM (FULL, ANALYZE) {name}")
    told(share, now="rewritten")


def _overwrite_log() -> bool:
    """Overwrite the log's old segments; False if the account may not.

    After a checkpoint they are removed or wait to be reused. Going through those fills each with zeros.
    """
    if not (_done(_NEXT_SEGMENT) and _done("CHECKPOINT")):
        return False
    for _ in range(_ask(_SEGMENTS_AHEAD) + 1):
        _done(_NEXT_SEGMENT)
    return _done("CHECKPOINT")


def _done(statement: str) -> bool:
    """Execute the statement; False if the account may not. Two purges may wait for each other at the catalogues."""
    try:
        again_after_deadlock(execute)(statement)
    except DatabaseError as error:
        if sqlstate(error) != _INSUFFICIENT_PRIVILEGE:
            raise
        return False
    return True


def _ask(question: str, *values: Any) -> Any:
    return execute(question, values or None)[0][0]
