from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.management import call_command
from django.db import connection

from config.management.commands.migrate import LOCK
from config.postgresql.sessions import direct_connection, execute
from tests.waiting import wait_until

_WAITING = """
SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid)
 WHERE locktype = 'advisory' AND objid = %s AND NOT granted AND query_start < clock_timestamp() - interval '1.5 s'
"""


@pytest.fixture
def limited(transactional_db: None) -> Iterator[None]:
    """A database whose new sessions may run no statement for longer than a second."""
    name = connection.ops.quote_name(connection.settings_dict["NAME"])
    execute(f"ALTER DATABASE {name} SET statement_timeout = '1s'")
    yield
    execute(f"ALTER DATABASE {name} RESET statement_timeout")


def test_one_of_two_at_once_waits_for_the_other_beyond_the_limits_of_the_server(
    limited: None,
) -> None:
    def migrate() -> None:
        try:
            call_command("migrate", verbosity=0)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as thread:
        with direct_connection() as other, other.transaction():
            other.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
            second = thread.submit(migrate)
            wait_until(lambda: second.done() or execute(_WAITING, [LOCK]), what="the second to wait")
        second.result(timeout=30)
